// Inner workings of `print`: names and the parts of the text. Used by print_*.cpp only.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text_sink.h"
#include "ir/module.h"
#include "ir/text.h"

namespace carry::ir {

/// Gives each thing a name of its own: `x`, then `x.2`, `x.3`.
class NameScope {
 public:
  explicit NameScope(const NameScope* outer = nullptr) : outer_(outer) {}
  std::string unique(std::string_view base);
  void reserve(std::string text) { taken_.insert(std::move(text)); }

 private:
  [[nodiscard]] bool taken(const std::string& text) const;
  const NameScope* outer_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, uint32_t> next_;
};

class Printer {
 public:
  Printer(const Module& module, const PrintOptions& options) : m_(module), options_(options) {}
  std::string run();
  /// Struct names as in the source, nothing declared: for messages.
  void set_plain_names() { plain_names_ = true; }

  // print_types.cpp
  std::string type(TypeId id);
  std::string constant(ConstId id);
  /// " $std430" or "" where the type has none.
  std::string layout(LayoutId id, TypeId type, Space space);

 private:
  // print_types.cpp
  std::string struct_name(TypeId id);
  void declare_struct(TypeId id);
  std::string image_type(const Type& t);
  void layout_tree(TextSink& out, LayoutId id, uint32_t depth);
  bool layout_rule(TextSink& out, LayoutId id, TypeId type, Space space);
  bool has_layout_annotations(TypeId id, uint32_t depth);
  std::string scalar_text(const Constant& c);

  // print_module.cpp
  void global_names();
  void globals();
  void global(GlobalId id);
  std::string attributes(const Global& g);
  void module_insts_up_to(size_t count);
  void function(FunctionId id);
  std::string io_list(const std::vector<IoAttr>& items);
  std::string signature(const Function& f);
  std::string stage_text(const Function& f);
  void top_level(std::string_view text);

  // print_inst.cpp
  std::string value(ValueId v);
  std::string define_local(ValueId v);
  void region(TextSink& out, RegionId id, int depth);
  void inst(TextSink& out, InstId id, int depth);
  void inst_head(TextSink& out, const Inst& inst);
  void inst_body(TextSink& out, const Inst& inst);
  void operand_list(TextSink& out, std::span<const ValueId> values);
  void if_inst(TextSink& out, const Inst& inst, int depth);
  void switch_inst(TextSink& out, const Inst& inst, int depth);
  void loop_inst(TextSink& out, const Inst& inst, int depth);
  void sample_operands(TextSink& out, const Inst& inst);
  void payload(TextSink& out, const Inst& inst);
  void named_types(TextSink& out, const Inst& inst);
  TypeId result_type(const Inst& inst, uint32_t i = 0);
  std::string result_names(const Inst& inst, bool with_types);
  bool gives_types(RegionId region, Op terminator, bool through_switch, uint32_t depth);

  const Module& m_;
  const PrintOptions& options_;
  bool plain_names_ = false;
  TextSink out_;
  NameScope globals_scope_;
  NameScope functions_scope_;
  NameScope structs_scope_;
  std::vector<std::string> global_text_;
  std::vector<std::string> function_text_;
  std::unordered_map<uint32_t, std::string> struct_text_;  // by TypeId
  uint32_t unnamed_globals_ = 0;
  size_t module_insts_done_ = 0;
  // the function being printed
  const Function* f_ = nullptr;
  NameScope* locals_scope_ = nullptr;
  std::vector<std::string> local_text_;
  uint32_t unnamed_ = 0;
};

/// `name` or, when it is not an identifier of the text form, `"name"`.
[[nodiscard]] std::string quoted_if_needed(std::string_view name);

}  // namespace carry::ir
