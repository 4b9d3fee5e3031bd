// State of one run of the WGSL writer, shared by its files. Internal to this folder.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/text_sink.h"
#include "ir/module.h"
#include "write/text/expr.h"
#include "write/text/fold.h"
#include "write/text/module_names.h"
#include "write/text/names.h"
#include "write/wgsl/writer.h"

namespace carry::write::wgsl {

using text::Expr;
using text::Prec;

extern const text::NameRules kNameRules;

/// Subgroup operations that WGSL has.
[[nodiscard]] bool is_subgroup_spelling(Op op);

class Writer {
 public:
  Writer(const ir::Module& module, const Options& options)
      : m_(module), options_(options), module_names_(module, kNameRules), names_(kNameRules) {}
  std::string run();
  /// Of the entries in the order of `function_order`, as `run` chooses them.
  std::vector<std::string> entry_names();

 private:
  void name_entries();
  // ---- types.cpp ----
  std::string type(TypeId id);
  std::string scalar(ScalarKind s);
  std::string texture_type(const Type& t);
  void declare_struct(TypeId id);
  const std::string& struct_name(TypeId id);
  const std::string& member_name(TypeId struct_type, uint32_t member);

  // ---- literals.cpp ----
  Expr constant(ConstId id);
  Expr scalar_constant(ScalarKind s, uint64_t bits);

  // ---- decls.cpp ----
  void globals();
  void global_variable(ir::GlobalId id);
  void module_insts();
  void function(ir::FunctionId id);
  void entry_attributes(const ir::Function& f, TextSink& out);
  std::string io_attribute(const ir::IoAttr& io, ir::Stage stage, bool output);
  void mark_io_structs();

  // ---- stmts.cpp ----
  void region(ir::RegionId id);
  void statement(ir::InstId id);
  void control(const ir::Inst& inst);
  void loop(const ir::Inst& inst);
  void switch_statement(const ir::Inst& inst);
  void terminator(const ir::Inst& inst);
  void bind(ir::ValueId result, const Expr& value);
  void line(std::string_view text);
  bool exits(ir::RegionId id) const;

  // ---- domain.cpp ----
  [[nodiscard]] ConstId constant_behind(ir::ValueId v) const;
  template <class F>
  ConstId map_components(ConstId id, TypeId type, F f) const;
  Expr second_operand(const ir::Inst& inst);
  Expr bit_field(std::string_view function, const ir::Inst& inst);
  Expr negate(const ir::Inst& inst);
  [[nodiscard]] ir::ValueId run_time_operand(const ir::Inst& inst) const;
  Expr run_time_constant(ConstId id);
  [[nodiscard]] bool leaves(TypeId type, std::span<const ir::ValueId> path) const;
  [[nodiscard]] uint32_t fitting_index(TypeId type, ir::ValueId step) const;

  // ---- exprs.cpp ----
  Expr value(ir::ValueId v);
  std::string arg(ir::ValueId v) { return value(v).text; }
  Expr expression(const ir::Inst& inst);
  Expr operation(const ir::Inst& inst);
  Expr binary(const ir::Inst& inst, std::string_view op, Prec prec);
  Expr clamp(const ir::Inst& inst, std::string_view min, std::string_view max);
  Expr call_text(std::string_view function, const ir::Inst& inst);
  Expr convert(const ir::Inst& inst);
  Expr half_pair(const ir::Inst& inst, ScalarKind after);
  Expr shuffle(const ir::Inst& inst);
  Expr make(const ir::Inst& inst);
  Expr element(const ir::Inst& inst);
  Expr builtin(const ir::Inst& inst);
  std::string steps(std::string base, TypeId type, std::span<const ir::ValueId> path);
  std::string place(ir::ValueId pointer);
  std::string address(ir::ValueId pointer);
  TypeId type_of(ir::ValueId v) const { return m_.type_of(*fn_, v); }
  TypeId result_type(const ir::Inst& inst) const { return m_.type_of(*fn_, inst.first_result); }

  // ---- atomics.cpp, images.cpp, subgroups.cpp ----
  Expr atomic(const ir::Inst& inst);
  void atomic_statement(const ir::Inst& inst);
  void barrier(const ir::Inst& inst);
  Expr image(const ir::Inst& inst);
  Expr sample(const ir::Inst& inst);
  Expr subgroup(const ir::Inst& inst);
  Expr moved_bool(std::string_view function, const ir::Inst& inst);
  struct Coordinate {
    std::string at;
    std::string layer;  // empty, or the array index
  };
  std::string unsigned_size(TypeId to, const std::string& size);
  /// Textures are then sampled at level 0: no stage of the module has derivatives.
  [[nodiscard]] bool fn_stage_has_no_derivatives() const;
  Coordinate coordinate(ir::ValueId v, const Type& texture, bool integer);

  const ir::Module& m_;
  Options options_;
  text::ModuleNames module_names_;
  text::NameScope names_;  // of the current function
  std::unordered_map<uint32_t, const std::vector<ir::IoAttr>*> io_structs_;
  std::unordered_map<uint32_t, ir::Stage> io_stages_;
  std::unordered_map<uint32_t, ir::InstId> wide_overrides_;  // module-level results that are no scalars
  TextSink structs_, declarations_, functions_;
  bool uses_subgroups_ = false, uses_f16_ = false;
  bool blends_two_ = false;  // colours of two sources for blending

  // current function
  const ir::Function* fn_ = nullptr;
  const text::FoldPlan* fold_ = nullptr;
  std::vector<std::string> local_names_;
  std::vector<uint64_t> hidden_bits_;  // NaN, infinity, -0: bits that must not be seen as constants
  std::vector<std::pair<ConstId, std::string>> run_time_constants_;
  ir::ValueId at_run_time_;  // a constant that the operation being written takes from a `let`
  TextSink body_;
  int depth_ = 1;
};

}  // namespace carry::write::wgsl
