// State of one run of the MSL writer, shared by its files. Internal to this folder.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text_sink.h"
#include "ir/module.h"
#include "write/msl/writer.h"
#include "write/text/expr.h"
#include "write/text/fold.h"
#include "write/text/module_names.h"
#include "write/text/names.h"

namespace carry::write::msl {

using text::Expr;
using text::Prec;

extern const text::NameRules kNameRules;

/// SIMD-group operations that Metal has.
[[nodiscard]] bool is_subgroup_spelling(Op op);

/// Memory that can be reached through a volatile pointer: structs, matrices and packed vectors cannot be copied from one.
[[nodiscard]] bool has_volatile_pointer(const TypeTable& types, TypeId pointer);

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
  std::string texture_type(const Type& t, bool coherent);
  std::string parameter_type(TypeId id, bool coherent);
  const std::string& struct_name(TypeId id);
  const std::string& member_name(TypeId struct_type, uint32_t member);
  const std::string& array_name(TypeId id);
  void declare_struct(TypeId id);
  /// "device T& name", "threadgroup T& name", "device T* name" for runtime-sized arrays.
  std::string pointer_declaration(TypeId pointer, std::string_view name);
  std::string memory_declaration(const Type& pointer, TypeId content, std::string_view name);
  std::string_view address_space(const Type& pointer) const;
  [[nodiscard]] bool is_runtime_array(TypeId id) const;
  /// A pointer to an array of buffers: one parameter of the entry each, and an array of pointers to them.
  [[nodiscard]] bool is_buffer_array(TypeId pointer) const;
  std::string buffer_pointer(TypeId pointer);

  // ---- literals.cpp ----
  Expr constant(ConstId id);
  Expr scalar_constant(ScalarKind s, uint64_t bits);

  // ---- decls.cpp ----
  void overrides();
  void function(ir::FunctionId id);
  std::string parameter(ir::FunctionId id, size_t index);
  std::string buffer_parameters(ir::ValueId array, uint32_t slot, std::string_view qualifier);
  std::string io_attribute(const ir::IoAttr& io, ir::Stage stage, bool output);
  void mark_io_structs();

  // ---- coherence.cpp ----
  void find_coherent();
  bool join_coherent(ir::FunctionId id, ir::RegionId region);
  void mark_coherent(ir::FunctionId id, ir::RegionId region, std::unordered_map<uint32_t, uint32_t>& roots);
  /// Memory of the current function that its parameter names as coherent.
  [[nodiscard]] bool is_coherent(ir::ValueId pointer) const;
  [[nodiscard]] uint32_t param_of(const ir::Function& f, ir::ValueId v) const;
  [[nodiscard]] bool touches_image(const ir::Inst& inst, bool reads) const;
  [[nodiscard]] bool reads_image(ir::RegionId region) const;
  bool find_fences(ir::RegionId region, bool read_later);

  // ---- stmts.cpp ----
  void region(ir::RegionId id);
  void statement(ir::InstId id);
  bool multi_result(const ir::Inst& inst);
  void call_statement(const ir::Inst& inst);
  void control(const ir::Inst& inst);
  void loop(const ir::Inst& inst);
  void switch_statement(const ir::Inst& inst);
  void terminator(const ir::Inst& inst);
  void bind(ir::ValueId result, const Expr& value);
  void line(std::string_view text);

  // ---- exprs.cpp ----
  Expr value(ir::ValueId v);
  std::string arg(ir::ValueId v) { return value(v).text; }
  Expr expression(const ir::Inst& inst);
  Expr operators(const ir::Inst& inst);
  Expr binary(const ir::Inst& inst, std::string_view op, Prec prec);
  /// Signed and narrow integers by way of unsigned ones: they wrap (C++ leaves signed overflow undefined).
  Expr wrapping(const ir::Inst& inst, std::string_view op, Prec prec);
  Expr clamp(const ir::Inst& inst, std::string_view min, std::string_view max);
  Expr call_text(std::string_view function, const ir::Inst& inst);
  Expr convert(const ir::Inst& inst);
  Expr shuffle(const ir::Inst& inst);
  Expr make(const ir::Inst& inst);
  Expr select(const ir::Inst& inst);
  Expr load(const ir::Inst& inst);
  Expr builtin(const ir::Inst& inst);
  Expr bits(const ir::Inst& inst);
  std::string steps(std::string base, TypeId type, std::span<const ir::ValueId> path);
  std::string index_text(ir::ValueId v);
  std::string place(ir::ValueId pointer);
  std::string byte_place(const ir::Inst& inst);
  TypeId type_of(ir::ValueId v) const { return m_.type_of(*fn_, v); }
  TypeId result_type(const ir::Inst& inst) const { return m_.type_of(*fn_, inst.first_result); }

  // ---- atomics.cpp, images.cpp, subgroups.cpp ----
  std::string atomic_pointer(ir::ValueId pointer, ScalarKind as);
  std::string element_pointer(ir::ValueId pointer, const std::string& cast);
  std::string accessed(const ir::Inst& inst);
  Expr atomic(const ir::Inst& inst);
  struct Texel {
    std::string image, at, type;
  };
  Texel texel_place(ir::ValueId pointer);
  Expr texel_atomic(const ir::Inst& inst);
  void weak_texel_exchange(const ir::Inst& inst);
  void atomic_statement(ir::InstId id);
  void weak_exchange(const ir::Inst& inst);
  void barrier(const ir::Inst& inst);
  Expr image(const ir::Inst& inst);
  Expr sample(const ir::Inst& inst);
  Expr image_size(const ir::Inst& inst);
  [[nodiscard]] bool is_zero(ir::ValueId v) const;
  Expr subgroup(const ir::Inst& inst);
  std::string moved(const ir::Inst& inst);
  Expr exchange(const ir::Inst& inst, const std::string& call);
  struct Coordinate {
    std::string at;
    std::string layer;
  };
  Coordinate coordinate(ir::ValueId v, const Type& texture, bool integer);

  const ir::Module& m_;
  Options options_;
  text::ModuleNames module_names_;
  text::NameScope names_;
  std::unordered_map<uint32_t, std::string> array_names_;
  struct IoStruct {
    const std::vector<ir::IoAttr>* io;
    ir::Stage stage;
    bool output;
  };
  std::unordered_map<uint32_t, IoStruct> io_structs_;
  TextSink structs_, declarations_, functions_;
  bool precise_ = false;
  std::vector<std::vector<bool>> coherent_;  // by function and parameter: memory that other workgroups see

  // current function
  const ir::Function* fn_ = nullptr;
  ir::FunctionId fn_id_;
  const text::FoldPlan* fold_ = nullptr;
  std::vector<std::string> local_names_;
  TextSink body_;
  int depth_ = 1;
  std::unordered_set<uint32_t> fences_;   // writes to textures that this thread reads later
  std::vector<ir::RegionId> continuing_;  // of the open loops: written at each `continue`
};

}  // namespace carry::write::msl
