// What the functions of one module share while it is lowered: types, constants, globals, functions.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "lower/lower.h"

namespace carry::lower {

/// HLSL's rows are the IR's columns.
constexpr Majorness flipped(Majorness m) {
  return m == Majorness::row ? Majorness::column : m == Majorness::column ? Majorness::row : m;
}

/// Binding numbers of one resource.
struct Binding {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t counter_binding = Id<TypeId>::kNone;
};

/// A leaf of a stage interface: one global (HLSL structs and GLSL blocks are flattened).
struct InterfaceLeaf {
  TypeId type;  // source type: scalar, vector, or array of these
  BuiltinVar builtin = BuiltinVar::none;
  NameId semantic;
  uint32_t semantic_index = 0;
  uint32_t location = Id<TypeId>::kNone;
  uint32_t component = Id<TypeId>::kNone;
  uint32_t index = Id<TypeId>::kNone;
  uint32_t flags = 0;  // VarFlags
  NameId name;
  NameId block;  // struct or block that it is a member of
  NodeId decl;
};

class ModuleLowering {
 public:
  explicit ModuleLowering(const Input& input);
  ir::Module run();

  // ---- inputs ----
  const Tree& tree;
  const Facts& facts;
  const LanguageMode& mode;
  const Options& options;
  Emitter& diags;
  ir::Module module;
  TypeTable& types;
  LayoutTable& layouts;
  Names& names;

  [[nodiscard]] bool hlsl() const { return mode.is_hlsl(); }
  void flatten_builtins();
  void reach_globals(ir::FunctionId f, std::vector<bool>& reached, std::vector<bool>& seen);
  void unsupported(NodeId at, std::string_view what) { unsupported(tree.range(at), what); }
  void unsupported(LocRange at, std::string_view what);
  /// Regions nest deeper than any pass must bear: an error, once.
  void too_deep(NodeId at);

  // ---- types.cpp ----
  /// The IR's type for a type of the checker: matrices of ints become arrays of vectors, texels have four components,
  /// override-sized arrays name a value.
  TypeId ir_type(TypeId source);
  /// The same constant in the IR's type.
  ConstId map_const(ConstId id);
  /// Element type of the storage array behind an HLSL buffer object (checker's type).
  TypeId object_element(TypeId object) const { return types[object].element; }
  /// Layout in a buffer of this rule of the IR's type for `source`.
  LayoutId buffer_layout(TypeId source, LayoutRule rule, bool row_major);
  void check_offsets(TypeId block, LayoutId layout, LayoutRule rule, VarId owner);
  /// Pointee of the storage global behind an object type: array<T>, or array<u32> for byte-address buffers.
  TypeId object_memory(TypeId object);
  TypeId object_array(TypeId object);  // the same in the checker's types
  Access object_access(TypeId object) const;
  /// The pointer value that stands for an object.
  TypeId object_pointer(TypeId object, LayoutRule rule);
  LayoutId object_layout(TypeId object, LayoutRule rule);
  bool is_byte_buffer(TypeId object) const;
  [[nodiscard]] bool is_reference(TypeId t) const { return types[t].object == ObjectKind::buffer_reference; }
  /// The IR pointer behind a buffer reference.
  TypeId reference_pointer(TypeId reference);
  /// HLSL's default is column-major, which is row-major in the IR's convention.
  [[nodiscard]] bool default_row_major(const Variable& v) const;

  // ---- globals.cpp ----
  /// The global behind a module-level variable; made in order of declaration before functions are lowered.
  ir::ValueId global_of(VarId id);
  /// A constant in memory, for dynamic indexing.
  ir::ValueId constant_memory(ConstId id);
  ir::ValueId counter_of(VarId id);

  // ---- image_variants.cpp ----
  /// The function for arguments of these types: itself, or a variant for other image types; none when there cannot be one.
  ir::FunctionId image_variant(ir::FunctionId callee, const std::vector<TypeId>& wanted);
  void drop_uncalled_originals();
  void mark_calls(ir::RegionId region, std::vector<bool>& called) const;

  // ---- bindings.cpp ----
  void assign_bindings();
  std::unordered_map<uint32_t, Binding> bindings;  // by VarId

  // ---- interface.cpp ----
  /// Source variables of stage interfaces that are structs, blocks or matrices: a private copy stands for them inside.
  [[nodiscard]] bool is_flattened(const Variable& v) const;
  /// Global of a built-in variable in `in` or `out`.
  ir::ValueId builtin_global(BuiltinVar builtin, Space space, uint32_t array_size = 0);
  /// A new global for one leaf; its location is found here.
  ir::ValueId interface_global(const InterfaceLeaf& leaf, Space space);
  void check_location(const InterfaceLeaf& leaf, uint32_t location, Space space);
  /// Is this like what shares the location? `key`: the location in its entry and direction.
  bool check_aliases(const InterfaceLeaf& leaf, ScalarKind scalar, uint64_t at, uint64_t key, Space space);
  /// Number of locations that a value takes.
  uint32_t location_count(TypeId type);
  TypeId builtin_type(BuiltinVar builtin, uint32_t array_size);
  /// Bool has no place in an interface: u32 stands for it.
  TypeId interface_type(TypeId source);

  // ---- spec.cpp ----
  ir::ValueId spec_constant(VarId id);
  /// An expression of constants and overrides, as module-level instructions.
  ir::ValueId module_value(NodeId n);
  ir::ValueId workgroup_size(const EntryFact& entry, uint32_t axis);

  // ---- functions ----
  std::unordered_map<uint32_t, ir::FunctionId> functions;  // by FuncId
  /// A method stores to its object (or may).
  bool writes_this(FuncId id);
  /// Module-level variables named in a function's body, transitively with its callees.
  std::vector<bool> used_by(FuncId entry);
  const EntryFact* current_entry = nullptr;
  std::vector<VarId> used_globals;  // in order of declaration

  ir::LocId loc_of(NodeId n);

 private:
  friend class FunctionLowering;
  void declare_globals();
  ir::ValueId module_inst(Op op, TypeId type, ir::ValueId operand);
  void mark_aliased();
  ir::ValueId make_global(VarId id);
  void place_resource(VarId id, TypeId inner, ir::Global& g);
  ir::ValueId make_builtin(const Variable& v);
  ir::ValueId make_stage_variable(const Variable& v);
  void mark_used(NodeId root, std::vector<bool>& vars, std::vector<NodeId>& pending);
  uint32_t find_location(const InterfaceLeaf& leaf, Space space);
  void assign_glsl_bindings();
  /// An HLSL resource while numbers are found.
  struct HlslResource {
    VarId id;
    RegisterClass register_class;
    uint32_t space;
    uint32_t number;     // register, none: not written
    uint32_t count;      // registers it takes
    bool fixed = false;  // set and binding come from an attribute or an option
    Binding binding;
  };
  [[nodiscard]] std::vector<HlslResource> hlsl_resources() const;
  class HlslBinder;
  void assign_hlsl_bindings();
  void lower_functions();
  void lower_entry(const EntryFact& entry);
  void refuse_derivatives(const EntryFact& entry);
  TypeId map_struct(TypeId source);
  TypeId layout_type(TypeId source);
  bool holds_row_arrays(TypeId source);
  LayoutId relabel(LayoutId layout, TypeId source, TypeId ir);
  LayoutId row_array(const Layout& matrix, TypeId ir);

  std::unordered_map<uint32_t, TypeId> type_map_;
  std::unordered_map<uint32_t, TypeId> layout_map_;
  std::unordered_map<uint32_t, bool> holds_row_arrays_;
  std::unordered_map<uint32_t, ir::ValueId> globals_;
  std::unordered_map<uint32_t, ir::ValueId> counters_;
  std::unordered_map<uint32_t, ir::ValueId> constant_memory_;
  std::unordered_map<uint32_t, ir::ValueId> spec_;
  std::unordered_map<uint32_t, ir::ValueId> workgroup_sizes_;  // by override: its bits as u32
  std::unordered_map<uint32_t, ir::ValueId> module_values_;
  std::unordered_map<uint64_t, uint32_t> semantic_locations_;
  std::unordered_map<uint64_t, uint32_t> next_location_;
  std::unordered_map<uint64_t, std::vector<bool>> taken_locations_;
  std::unordered_map<uint64_t, NameId> location_owners_;
  /// What all variables of one location have in common.
  struct LocationKind {
    bool floats;
    uint32_t bits;
    uint32_t interpolation;
    NameId name;
  };
  std::unordered_map<uint64_t, LocationKind> location_kinds_;
  std::unordered_map<uint32_t, int> writes_this_;
  std::unordered_map<uint32_t, uint32_t> depths_;  // by FuncId: regions within regions, those of callees included
  std::map<std::vector<uint32_t>, ir::FunctionId> image_variants_;  // by function and types of arguments
  bool too_deep_ = false;
  std::vector<std::pair<uint64_t, ir::ValueId>> builtin_globals_;
  ir::LocId last_loc_;
  Loc last_loc_place_;
};

}  // namespace carry::lower
