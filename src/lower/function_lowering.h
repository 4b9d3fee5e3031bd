// Lowers one function body (or an entry wrapper). Values are in the IR's types; the checker's types tell their meaning.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/builder.h"
#include "lower/module_lowering.h"

namespace carry::lower {

using ir::ValueId;

/// What an expression denotes: a value, or memory whose address is fixed (index operands evaluated) but not yet read.
struct Place {
  enum class Kind : uint8_t {
    value,       // `base` is the value itself
    memory,      // `base` and `steps`
    components,  // some components of the vector (or scalar) at `base`, `steps`, in the order of `picks`
    bits,        // a bit field of the member at `base`, `steps`
    elements,    // some elements of the matrix at `base`, `steps`; picks: column << 2 | row
    texel,  // image or texture at `base`, `steps` (the handle itself with `direct`), and `coordinate`; count != 0: only `picks` of it
  };
  Kind kind = Kind::value;
  uint8_t count = 0;     // of picks
  uint8_t flags = 0;     // InstFlags for loads and stores
  uint8_t at_flags = 0;  // InstFlags for the `at`: nonuniform
  uint32_t picks = 0;    // 4 bits each
  TypeId type;           // checker's type of what the place denotes
  TypeId whole;          // components, elements, texel: checker's type without the picks
  ValueId base;
  std::vector<ValueId> steps;
  ValueId coordinate;
  ValueId lod;                 // texel of a texture: mip level, none: 0
  bool direct = false;         // texel: `base` is the handle
  uint8_t low = 0, width = 0;  // bits
  VarId buffer;                // buffer variable whose counter this object has
  [[nodiscard]] uint32_t pick(uint32_t i) const { return picks >> (4 * i) & 15u; }
};

/// Stores to such objects mark what they store as precise; pass `spread_precise` goes on from there.
inline constexpr uint32_t kPreciseVariable = kVarPrecise | kVarInvariant;

/// A scalar taken out of a value, with the checker's type.
struct Leaf {
  ValueId value;
  TypeId type;
};

/// One argument of a call while it is in flight.
struct BoundArgument {
  ValueId value;  // in: the value; inout: the old value converted
  Place place;    // out, inout, ref
  TypeId type;    // the parameter's type
  TypeId source;  // type of the argument's place
  NodeId node;
  ParamMode mode = ParamMode::in;
};

class FunctionLowering {
 public:
  FunctionLowering(ModuleLowering& owner, ir::FunctionId function);

  // ---- functions.cpp ----
  /// The body of a source function; parameters were added to the IR function in order.
  void lower_body(FuncId id);
  /// GLSL main: the entry itself.
  void lower_main(FuncId id, std::span<const VarId> used);
  /// A wrapper around an HLSL entry, or a GLSL main whose interface has structs.
  void lower_wrapper(const EntryFact& entry, std::span<const VarId> used);

 private:
  using Op = carry::Op;
  ModuleLowering& m_;
  const Tree& tree_;
  const Facts& facts_;
  TypeTable& types_;
  ir::Builder b_;
  FuncId function_;
  TypeId result_type_;
  std::unordered_map<uint32_t, ValueId> locals_;  // VarId -> pointer, or the value of a handle parameter
  std::unordered_map<uint32_t, bool> local_is_value_;
  ValueId this_;  // ptr<function, T>
  TypeId this_type_;

  struct Target {
    bool is_loop = false;
    bool left = false;  // something leaves it (break, leave, yield)
  };
  std::vector<Target> targets_;
  uint32_t deepest_ = 0;

  // ---- helpers (values.cpp) ----
  [[nodiscard]] const NodeFact& fact(NodeId n) const { return facts_.node(n); }
  void at(NodeId n) { b_.set_loc(m_.loc_of(n)); }
  TypeId ir(TypeId source) { return m_.ir_type(source); }
  ValueId unsupported(NodeId n, std::string_view what, TypeId type);
  /// Whether the innermost open region, and `below` more in a callee, nest no deeper than allowed; else reported.
  bool fits(NodeId n, uint32_t below = 0);
  ValueId u32(uint32_t v) { return b_.const_u32(v); }
  ValueId splat(ValueId scalar, uint32_t count);
  ValueId part(ValueId value, TypeId type, uint32_t i);
  ValueId build(TypeId type, std::span<const ValueId> parts);
  ValueId number(TypeId scalar_or_vector, double v);
  ValueId const_int(TypeId type, int64_t v);
  ValueId spill(ValueId value);
  ValueId to_u32(ValueId integer, TypeId type);
  /// Same bits, other sign; or bool against u32; what interfaces and built-in variables need.
  ValueId adapt(ValueId value, TypeId ir_to);
  void leaves(ValueId value, TypeId type, std::vector<Leaf>& out);
  ValueId from_leaves(TypeId type, std::span<const Leaf> leaves, size_t& next);
  [[nodiscard]] bool is_matrix(TypeId t) const { return types_.is_matrix(t); }
  [[nodiscard]] bool is_real_matrix(TypeId t) { return types_.kind(m_.ir_type(t)) == TypeKind::matrix; }
  [[nodiscard]] uint32_t scalar_count(TypeId t) const;
  bool same_image_type(ValueId value, TypeId want, NodeId n);

  // ---- convert.cpp ----
  ValueId convert(ValueId v, TypeId from, TypeId to, NodeId n);
  ValueId convert_numeric(ValueId v, TypeId from, TypeId to);
  ValueId convert_scalar_kind(ValueId v, TypeId from, ScalarKind to);
  ValueId truncate(ValueId v, TypeId from, TypeId to);

  // ---- places.cpp ----
  Place access(NodeId n);
  Place root_place(NodeId n);
  Place variable_place(NodeId n, VarId id);
  void step(Place& p, NodeId n);
  void step_index(Place& p, NodeId n);
  /// The memory that a buffer reference points to.
  void follow(Place& p, NodeId n);
  void step_member(Place& p, TypeId struct_type, uint32_t member);
  void step_bits(Place& p, NodeId n);
  ValueId extract_field(ValueId unit, uint32_t low, uint32_t width);
  ValueId insert_field(ValueId unit, ValueId field, uint32_t low, uint32_t width);
  void step_swizzle(Place& p, NodeId n);
  void step_elements(Place& p, NodeId n);
  void into_memory(Place& p);
  [[nodiscard]] Place memory(ValueId pointer, TypeId type, uint8_t flags = 0);
  ValueId pointer(const Place& p);
  ValueId load(const Place& p, NodeId n);
  void store(const Place& p, ValueId value, NodeId n);
  /// The image or texture of a texel place.
  ValueId handle_of(const Place& p);
  ValueId texel_pointer(const Place& p, NodeId n);
  ValueId load_texel(const Place& p, NodeId n);
  void store_texel(const Place& p, ValueId value, NodeId n);

  // ---- expressions.cpp ----
  ValueId value(NodeId n);
  ValueId raw_value(NodeId n);
  void effects(NodeId n);
  ValueId unary(NodeId n);
  ValueId increment(NodeId n);
  ValueId binary(NodeId n);
  ValueId binary_step(NodeId n, ValueId a);
  ValueId short_circuit(NodeId n, ValueId a);
  ValueId converted(NodeId n, ValueId v);
  ValueId conditional(NodeId n);
  [[nodiscard]] bool evaluates_one(NodeId n) const;
  ValueId branch_chain(std::span<const NodeId> links);
  ValueId long_branch_chain(std::span<const NodeId> links, bool is_void);
  ValueId select_chain(std::span<const NodeId> links);
  ValueId select(NodeId n, ValueId c, ValueId a, ValueId b);
  ValueId assign(NodeId n);

  // ---- arithmetic.cpp ----
  uint8_t flags_of(NodeId n) const { return (fact(n).flags & kFactPrecise) != 0 ? ir::kPrecise : 0; }
  ValueId arithmetic(BinaryOp op, ValueId a, TypeId ta, ValueId b, TypeId tb, NodeId n);
  ValueId arithmetic_vector(BinaryOp op, ValueId a, ValueId b, ScalarKind s, NodeId n);
  ValueId shift(BinaryOp op, ValueId a, TypeId ta, ValueId b, TypeId tb, NodeId n);
  ValueId compare(BinaryOp op, ValueId a, TypeId ta, ValueId b, TypeId tb, TypeId result, NodeId n);
  ValueId compare_vector(BinaryOp op, ValueId a, ValueId b, ScalarKind s);
  ValueId equal_all(ValueId a, ValueId b, TypeId type, NodeId n);
  ValueId algebraic(ValueId a, TypeId ta, ValueId b, TypeId tb, NodeId n);
  ValueId negate(ValueId v, TypeId t, NodeId n);
  template <class F>
  ValueId by_columns(TypeId result, uint32_t columns, F&& f);
  uint32_t division_variant(bool sign) const;
  uint32_t total_variant() const;

  // ---- construct.cpp ----
  ValueId construct(NodeId n);
  ValueId construct_args(NodeId n, std::span<const NodeId> args);
  void init_into(ValueId pointer, NodeId init, TypeId type);

  // ---- calls.cpp ----
  ValueId call(NodeId n);
  ir::FunctionId variant_for(ir::FunctionId callee, std::span<const ir::ValueId> operands, NodeId n);
  ValueId call_user(NodeId n, const Call& c);
  ValueId base_part(ValueId object, TypeId type, TypeId base);
  void store_base_part(const Place& object, ValueId value, TypeId type, TypeId base, NodeId n);
  enum class First : uint8_t { value, place, skip };
  /// `first`: what is wanted of the first argument; `place` for images in atomics, `skip` when the caller evaluated it.
  std::vector<BoundArgument> bind_arguments(const Call& c, First first = First::value);
  void copy_out(const BoundArgument& a, ValueId value, TypeId from);
  ValueId object_value(NodeId n);

  // ---- builtins.cpp ----
  ValueId call_builtin(NodeId n, const Call& c);
  ValueId finish_results(const Call& c, std::span<const ValueId> results, std::vector<BoundArgument>& args);
  /// Memory that an atomic works on.
  ValueId reference(const Place& p, NodeId n);
  ValueId quad_lane(ValueId x, ValueId lane);
  ValueId apply_hook(NodeId n, const Call& c, builtins::Hook hook);
  ValueId value_hook(NodeId n, const Call& c, builtins::Hook hook);
  ValueId all_lanes_equal(ValueId x, TypeId type, TypeId result);
  ValueId clip(NodeId n, const Call& c, ValueId x, TypeId type);
  // ---- texture_hooks.cpp ----
  struct TextureCall;
  NodeId combined_call(std::span<const Argument> args) const;
  ValueId texture_hook(NodeId n, const Call& c, builtins::Hook hook);
  ValueId sample_texture(TextureCall& t, bool level_zero);
  ValueId gather_texture(TextureCall& t, uint32_t component);
  ValueId fetch_texture(TextureCall& t);
  ValueId as_coordinate(ValueId offset, TypeId type);
  ValueId get_dimensions(TextureCall& t);
  ValueId query_texture(TextureCall& t, Op op);
  // ---- image_hooks.cpp ----
  ValueId image_hook(NodeId n, const Call& c, builtins::Hook hook);
  ValueId scoped_hook(NodeId n, const Call& c, builtins::Hook hook);
  // ---- buffer_hooks.cpp ----
  ValueId structured_hook(NodeId n, const Call& c, builtins::Hook hook);
  ValueId byte_hook(NodeId n, const Call& c, builtins::Hook hook);
  ValueId byte_pointer(ValueId buffer, const BoundArgument& at, TypeId type, bool atomic);
  [[nodiscard]] uint32_t low_zero_bits(NodeId n, uint32_t depth) const;
  // ---- matrix_hooks.cpp ----
  ValueId hlsl_mul(NodeId n, const Call& c);
  ValueId dot_product(ValueId a, ValueId b, TypeId type, NodeId n);
  ValueId any_or_all(ValueId v, TypeId type, Op op);
  ValueId transposed(ValueId v, TypeId from, TypeId to, NodeId n);

  // ---- statements.cpp ----
  void statement(NodeId n);
  void block(NodeId n);
  void declare(NodeId var_decl);
  void declare_var(VarId id, NodeId declarator);
  ValueId condition(NodeId n);
  /// Of a long chain: where it goes on, and the variable that says whether it does.
  struct Chain {
    ValueId open;
    NodeId next;
  };
  static constexpr uint32_t kNestedLinks = 32;
  void if_statement(NodeId n, ir::BranchHint hint);
  void if_link(NodeId n, ir::BranchHint hint, uint32_t link, Chain& chain);
  void hoist_condition(NodeId test);
  void loop_statement(NodeId n, uint32_t control);  // LoopControl
  void return_statement(NodeId n);
  void jump(NodeId n);
  // ---- switch.cpp ----
  void switch_statement(NodeId n, ir::BranchHint hint);

  // ---- entry.cpp ----
  void run_initialisers(std::span<const VarId> initialised);
  void zero_shared(std::span<const VarId> used);
  void end_body(FuncId id);
  void bind_parameters(FuncId id);
  void flattened_inputs(std::span<const VarId> used);
  void flattened_outputs(std::span<const VarId> used);
  ValueId input(const InterfaceLeaf& leaf, NodeId at);
  void output(const InterfaceLeaf& leaf, ValueId value, NodeId at);
  [[nodiscard]] InterfaceLeaf member_leaf(const InterfaceLeaf& outer, uint32_t member, uint32_t& index, uint32_t& location);
  ValueId builtin_input(const InterfaceLeaf& leaf, NodeId at);
  // distances.cpp
  struct Distance {
    BuiltinVar builtin;
    Space space;
    uint32_t index;  // the semantic's
    uint32_t first;  // element of the array
    uint32_t count;
  };
  std::vector<Distance> distances_;
  void note_distances(const InterfaceLeaf& leaf, Space space);
  void place_distances(NodeId n);
  ValueId distance_place(const InterfaceLeaf& leaf, Space space, uint32_t& first, NodeId n);
  ValueId distance_input(const InterfaceLeaf& leaf, NodeId n);
  ValueId distance_value(TypeId type, ValueId memory, uint32_t& next, NodeId n);
  void distance_output(const InterfaceLeaf& leaf, ValueId value, NodeId n);
  void store_distances(TypeId type, ValueId value, ValueId memory, uint32_t& next, NodeId n);
  void builtin_output(const InterfaceLeaf& leaf, ValueId value, NodeId at);

  bool module_level_ = false;  // expressions of specialization constants
  friend class ModuleLowering;
  friend class HookLowering;
};

}  // namespace carry::lower
