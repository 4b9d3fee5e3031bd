// State of one run of the SPIR-V writer, shared by its files: types.cpp, constants.cpp, globals.cpp, functions.cpp (control
// flow), insts.cpp (dispatch) and one file per family of operations. Internal to this folder.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "write/spirv/sections.h"
#include "write/spirv/writer.h"

namespace carry::write::spirv {

/// Predecessor of a phi: the value list is parallel to the construct's results.
struct Incoming {
  SpvId block = 0;
  std::vector<SpvId> values;
};

/// An open `if`, `switch` or `loop` while its regions are written.
struct Construct {
  explicit Construct(Op kind) : op(kind) {}
  Op op;
  SpvId merge = 0;
  SpvId continue_target = 0;  // loop
  SpvId next_case = 0;        // switch: target of `fallthrough`
  SpvId header = 0;           // loop
  std::vector<Incoming> to_merge;
  std::vector<Incoming> to_continue;
  Incoming back_edge;  // loop: values of `next`
};

class Writer {
 public:
  Writer(const ir::Module& module, const Options& options) : m_(module), options_(options) {}
  std::vector<Word> run();
  [[nodiscard]] ir::InstId unwritable() const { return unwritable_; }

 private:
  // ---- ids, capabilities ----
  SpvId new_id() { return next_id_++; }
  void capability(spv::Capability c);
  void extension(std::string_view name);
  /// The Block struct that the pointer points to; 0 when it points to anything else.
  SpvId block_of(ir::ValueId pointer) const;
  SpvId reform(SpvId from, SpvId to, TypeId struct_type, LayoutId layout);
  void derivative_group(SpvId entry, uint32_t x, uint32_t y);
  /// The extension, unless `core_since` (0x000103xx) is at most the version written.
  void extension_before(std::string_view name, uint32_t core_since);
  [[nodiscard]] bool at_least(uint32_t version) const { return options_.version >= version; }
  SpvId glsl_std();
  void decorate(SpvId id, spv::Decoration d, std::initializer_list<Word> operands = {});
  void member_decorate(SpvId id, uint32_t member, spv::Decoration d, std::initializer_list<Word> operands = {});
  void name(SpvId id, NameId text);

  // ---- debug.cpp ----
  void debug_source();
  SpvId file_string(std::string_view file);
  void debug_line(ir::LocId loc);

  // ---- types.cpp ----
  /// Value form when `layout` is none; memory form (decorated) otherwise.
  SpvId type(TypeId id, LayoutId layout = {}, bool block = false);
  SpvId make_type(TypeId id, LayoutId layout, bool block);
  SpvId scalar_type(ScalarKind s);
  SpvId array_type(const Type& t, LayoutId layout, bool block);
  SpvId struct_type(TypeId id, LayoutId layout, bool block);
  void decorate_member_layout(SpvId struct_id, uint32_t index, LayoutId layout);
  SpvId image_type(const Type& t);
  SpvId pointer_type(spv::StorageClass storage, SpvId pointee);
  /// Type of an IR pointer value; globals that are wrapped in a block are handled by global_*.
  SpvId ir_pointer_type(TypeId pointer);
  SpvId function_type(SpvId result, std::span<const SpvId> params);
  SpvId pair_struct(SpvId element, SpvId second);
  spv::StorageClass storage_class(Space space) const;
  /// True when value and memory form are the same SPIR-V type.
  bool same_form(TypeId id, LayoutId layout);
  void small_type_capabilities(TypeId id, Space space);
  void image_capabilities(const Type& t);

  // ---- constants.cpp ----
  SpvId constant(ConstId id);
  SpvId const_u32(uint32_t v);
  SpvId const_null(SpvId type_id);
  SpvId u32_type() { return type(TypeId::u32); }
  SpvId spec_inst_operand(ir::ValueId v);
  void module_insts();
  void override_constant(ir::GlobalId id);

  // ---- globals.cpp ----
  void globals();
  void variable(ir::GlobalId id);
  void decorate_global(SpvId id, const ir::Global& g);
  void builtin_capabilities(ir::BuiltinVar v);
  void entry_points();
  void execution_modes(const ir::Function& f, SpvId id);
  void collect_uses(ir::FunctionId id);
  void collect_region_uses(ir::RegionId id, std::vector<bool>& used, std::vector<ir::FunctionId>& callees);

  // ---- functions.cpp ----
  void function(ir::FunctionId id);
  void region(ir::RegionId id);
  void control_if(const ir::Inst& inst);
  void control_switch(const ir::Inst& inst);
  void control_loop(const ir::Inst& inst);
  void terminator(const ir::Inst& inst);
  void merge_results(const ir::Inst& inst, const Construct& c);
  Construct& innermost(Op op);
  Construct& innermost_selection();
  void open_block(SpvId label);
  void branch(SpvId target);
  bool is_bare_yield(ir::RegionId id) const;
  std::vector<SpvId> values_of(std::span<const ir::ValueId> list);

  // ---- insts.cpp ----
  SpvId value(ir::ValueId v);
  SpvId result_id(const ir::Inst& inst, uint32_t i = 0);
  TypeId type_of(ir::ValueId v) const { return m_.type_of(*fn_, v); }
  SpvId result_type(const ir::Inst& inst, uint32_t i = 0) { return type(type_of(m_.result(inst, i))); }
  void instruction(ir::InstId id);
  void simple(const ir::Inst& inst, spv::Op op);
  void ext_inst(const ir::Inst& inst, uint32_t number);
  /// Emits an instruction with a fresh id.
  SpvId emit(spv::Op op, SpvId type_id, std::initializer_list<Word> operands);
  SpvId emit(spv::Op op, SpvId type_id, std::span<const Word> operands);
  void emit_to(spv::Op op, SpvId type_id, SpvId id, std::initializer_list<Word> operands);
  SpvId emit_ext(uint32_t number, SpvId type_id, std::initializer_list<Word> operands);
  void finish(const ir::Inst& inst, SpvId id);
  void arithmetic(const ir::Inst& inst);
  void matrix_by_columns(const ir::Inst& inst, spv::Op op);
  void clamp(const ir::Inst& inst);
  void convert(const ir::Inst& inst);
  void pair_result(const ir::Inst& inst, spv::Op op);
  void select(const ir::Inst& inst);
  void composite(const ir::Inst& inst);
  void call(const ir::Inst& inst);
  bool builtin(const ir::Inst& inst);
  void struct_result(const ir::Inst& inst, uint32_t number);

  // ---- memory.cpp ----
  void memory(const ir::Inst& inst);
  void loop_merge(const ir::Inst& inst, SpvId merge, SpvId continue_target);
  void memory_operands(std::vector<Word>& words, const ir::Inst& inst, const Type& pointer);
  SpvId pointer_value(ir::ValueId v);
  void access_chain(const ir::Inst& inst);
  void array_length(const ir::Inst& inst);
  /// Between the value form and the memory form of a type, component by component where they differ.
  SpvId to_memory_form(SpvId value, TypeId id, LayoutId layout);
  SpvId to_value_form(SpvId value, TypeId id, LayoutId layout);
  SpvId convert_form(SpvId value, TypeId id, LayoutId layout, bool to_memory);
  bool root_is_wrapped(ir::ValueId v) const;
  void index_capabilities(const ir::Inst& inst, const Type& pointee, bool constant_index);

  // ---- atomics.cpp ----
  void atomic(const ir::Inst& inst);
  void barrier(const ir::Inst& inst);
  Word scope_id(ir::Scope scope);
  Word semantics_bits(ir::Order order, uint8_t spaces) const;
  void atomic_capabilities(Op op, const Type& pointer, ScalarKind scalar);

  // ---- images.cpp ----
  void image(const ir::Inst& inst);
  void sample(const ir::Inst& inst);
  void gather(const ir::Inst& inst);
  void fetch(const ir::Inst& inst);
  SpvId plain_image(ir::ValueId v);
  const Type& texture_of(ir::ValueId v) const;
  struct ImageOperands {
    Word mask = 0;
    std::vector<Word> words;
  };
  ImageOperands image_operands(const ir::Inst& inst, uint32_t next, SpvId& compare);

  // ---- subgroups.cpp ----
  bool subgroup(const ir::Inst& inst);
  void subgroup_arithmetic(const ir::Inst& inst);
  void group_capability(spv::Capability c);

  const ir::Module& m_;
  Options options_;
  SpvId next_id_ = 1;
  SpvId glsl_std_ = 0;
  bool physical_ = false;  // addresses of memory occur
  std::vector<spv::Capability> capabilities_;
  std::vector<std::string> extensions_;
  std::unordered_map<std::string, SpvId> file_strings_;  // -g
  WordStream entry_words_, mode_words_, string_words_, name_words_, decoration_words_, global_words_, function_words_;

  struct TypeKey {
    uint32_t type, layout, block;
    bool operator==(const TypeKey& o) const { return type == o.type && layout == o.layout && block == o.block; }
  };
  struct TypeKeyHash {
    size_t operator()(const TypeKey& k) const { return (k.type * 31u + k.layout) * 31u + k.block; }
  };
  std::unordered_map<TypeKey, SpvId, TypeKeyHash> types_;
  std::unordered_map<uint64_t, SpvId> pointers_;  // storage class, pointee
  std::unordered_map<uint64_t, SpvId> pairs_;
  std::unordered_map<uint64_t, SpvId> nulls_;
  std::vector<SpvId> strided_;  // arrays that have their ArrayStride
  std::vector<std::pair<std::vector<SpvId>, SpvId>> function_types_;
  std::unordered_map<uint32_t, SpvId> constants_;
  std::vector<SpvId> global_ids_;
  std::vector<bool> wrapped_;  // global's content sits in a block of one member
  std::vector<SpvId> function_ids_;
  std::vector<std::vector<bool>> global_uses_;  // by function: globals used, callees included
  std::vector<SpvId> interface_extra_;

  // current function
  const ir::Function* fn_ = nullptr;
  std::vector<SpvId> locals_;
  std::vector<ir::InstId> defs_;
  std::vector<bool> non_uniform_;
  WordStream vars_, body_;
  SpvId block_ = 0;
  bool block_open_ = false;
  Place line_;  // of the last OpLine in this block
  std::vector<Construct*> constructs_;
  bool implicit_lod_ = false;
  std::vector<SpvId> block_types_;                      // by global: the Block struct of a buffer, or of an array's elements
  std::vector<SpvId> blocks_;                           // by global: the Block struct of a buffer that is not wrapped
  std::unordered_map<uint32_t, SpvId> block_pointees_;  // by local: pointers to the whole content of a buffer, a Block
  ir::InstId current_, unwritable_;                     // of `arithmetic`; the first operation without a spelling
  bool derivatives_ = false;                            // some instruction needs those of neighbours
};

}  // namespace carry::write::spirv
