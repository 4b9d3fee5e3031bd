// Facts: what the checker found out about a Tree, as arrays indexed by NodeId and tables of symbols. The only thing that
// lowering reads besides the Tree; it repeats no decision made here.
//
// How to read an expression node n (facts.node(n)):
//   * `value` set: n is this constant, children need not be looked at. Its type is facts.result_type(n).
//   * else lower it by node kind and `ref`, giving a value of `type`; then, if `converted` is set, convert `type` to
//     `converted` (shapes: see Conversion). A parent's rule is stated for the converted children.
//   * TypeId::lit_int and lit_float appear only on nodes that have a `value` converted to a real type, or below such a node.
//   * HLSL matrices floatRxC are matrix(columns = R, rows = C): index and order of components are those of the IR.
//     bool and int matrices keep TypeKind::matrix here.
//   * TypeKind::error anywhere means that a diagnostic was given: lowering never runs then.
// Operators: both children of arithmetic, bitwise and comparison nodes have result types that the operation takes as they are:
//   equal types, or vector with scalar of the same scalar kind (the scalar is spread), matrix with scalar, or (GLSL `*`) matrix
//   and vector in the algebraic sense (HLSL matrices are always componentwise). Shifts: the result has the left type; the right
//   operand keeps its own integer type, scalar or vector. `&&`, `||`, `^^`, `!`, conditions: bool.
//   `ref` is `operation`: `index` is the TypeId in which the operation is done; for `a op= b`, `++`, `--` the old value of a is
//   converted to it before, and the result (of type result_of) back to a's type before the store; b is converted already.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/names.h"
#include "base/store.h"
#include "ops/builtins.h"
#include "source/loc.h"
#include "syntax/tree.h"
#include "types/layout.h"
#include "types/stage.h"
#include "types/types.h"

namespace carry {

struct VarId : Id<VarId> {
  using Id::Id;
};
struct FuncId : Id<FuncId> {
  using Id::Id;
};
struct CallId : Id<CallId> {
  using Id::Id;
};

/// What `NodeFact::ref` and `index` mean.
enum class Ref : uint8_t {
  none,
  variable,        // name (also scope, member on a namespace or type), declarator, param, interface_block, buffer_block: VarId
  function,        // function_decl: FuncId; the callee of a call has no ref, see `call`
  call,            // call, index on objects with an operator, binary with a user operator: CallId
  operation,       // unary, binary, assign: TypeId of the operation, see above
  bit_field,       // member or name as below, in bits of that member: lowest bit << 8 | width in `extra`
  member,          // member, or name inside a method (then of `this`): index of the struct member
  swizzle,         // member on a scalar or vector: component indices, 4 bits each from the low end; count in `extra`
  matrix_swizzle,  // member on a matrix (_m00, _11): 4 bits each (column << 2 | row) of the matrix here; count in `extra`
  conversion,      // cast, or call of a type with one argument: the argument is `converted` to `type` already; pass it on
  construct,       // call of a type, init_list: ConstructKind in `extra`
  length,          // call x.length() that is not constant: array_length of the runtime-sized array in child 0's child 0
  texel,           // index on a texture or image object (t[xy]): a place; child 1 is the coordinate (u32s)
  texel_mip,       // t.mips[level][xy]: child 0 is index (t.mips)[level]
  buffer_element,  // index on (RW)StructuredBuffer, Buffer-like objects: element of the storage array
  hint,            // attributed_stmt: LoopControl in `index`: a BranchHint, of loops also a count
  label,           // case_label: the child's value holds the label in the selector's type
  type_name,       // name, scope, template_ref that denotes a type: `type`
  jump,            // discard_stmt, jump_stmt: JumpKind in `index` (demote or terminate_invocation)
};

enum class ConstructKind : uint16_t {
  parts,      // scalars of all arguments in order make the vector or matrix (columns first); arguments have its scalar
              // kind, those of the last one may be left over
  diagonal,   // GLSL mat(scalar)
  resize,     // GLSL mat(mat): upper left part, rest of the unit matrix
  splat,      // vector from one scalar
  aggregate,  // array or struct: one argument a part, each converted to the part's type
  flatten,    // HLSL initialiser: scalars of all leaves in order, each converted to the scalar it lands on, fill `type`;
              // init_lists below it have no facts of their own
  zero,       // {} : all zero
  combine,    // GLSL sampler2D(texture, sampler); only as an argument
  address,    // one of buffer reference, uint64_t and uvec2 from another: the same 8 bytes
};

enum NodeFactFlags : uint8_t {
  kFactLvalue = 1,  // may be written
  kFactPlace =
      2,  // denotes memory (variable, part of one, buffer element, texel): lower as a place, load when a value is asked for
  kFactEffects = 4,      // evaluating it may have an effect (call, assignment, atomic ...)
  kFactCostly = 8,       // must not be evaluated when && || ?: skip it: effects, or memory access that may be out of bounds
  kFactSpec = 16,        // depends on a specialization constant and on constants only
  kFactNonUniform = 32,  // nonuniformEXT(...), NonUniformResourceIndex(...)
  kFactPrecise = 64,     // computed for a `precise` (or invariant) object
};

struct NodeFact {
  TypeId type;
  TypeId converted;  // none: no conversion
  ConstId value;
  uint32_t index = Id<TypeId>::kNone;
  Ref ref = Ref::none;
  uint8_t flags = 0;  // NodeFactFlags
  uint16_t extra = 0;
};

/// Types with more scalars are never flattened.
inline constexpr uint64_t kMaxFlattened = 65536;

/// How a value of one type becomes another; given by the two types alone, `classify_conversion` tells.
enum class Conversion : uint8_t {
  identity,
  numeric,   // same shape, other scalar kind; bool <-> number included
  splat,     // scalar to vector or matrix (all components), scalar kind may change too
  truncate,  // first components, upper left part; scalar kind may change too
  reshape,   // vec4 <-> matrix 2x2: same component count, in order
  flatten,   // struct or array from scalar (every leaf), or struct/array to one of the same leaf count, leaf by leaf
  impossible,
};
[[nodiscard]] Conversion classify_conversion(const TypeTable& types, TypeId from, TypeId to);

// ---- symbols ----

enum class VarKind : uint8_t {
  local,  // in a function; `static` locals of HLSL are private_
  param,
  private_,        // module variable
  constant,        // const with a constant value: uses have `value`; no storage
  const_variable,  // const without a constant value (const in parameter, const local): a variable that nobody writes
  spec_constant,   // constant_id, [[vk::constant_id]]
  shared,          // shared, groupshared
  stage_in,
  stage_out,
  builtin,        // gl_* or SV_*: `builtin`
  uniform_block,  // GLSL uniform block, cbuffer, tbuffer, ConstantBuffer<T>, $Globals; type: the struct (or array of it)
  storage_block,  // GLSL buffer block; type: the struct (or array of it)
  push_block,
  storage_object,  // HLSL (RW)StructuredBuffer, Append, Consume, (RW)ByteAddressBuffer; type: object type (or array of it)
  handle,          // texture, sampler, image, combined, accel (or array)
  block_member,    // name of a member of a block without instance name: `owner`, `member`
  uniform_plain,   // GLSL uniform outside a block: atomic_uint and (not Vulkan) plain uniforms
  payload,         // ray and task payloads; `qualifier` tells
};

enum VarFlags : uint32_t {
  kVarConst = 1u << 0,
  kVarCoherent = 1u << 1,
  kVarVolatile = 1u << 2,
  kVarRestrict = 1u << 3,
  kVarReadonly = 1u << 4,
  kVarWriteonly = 1u << 5,
  kVarFlat = 1u << 6,
  kVarNoPerspective = 1u << 7,
  kVarCentroid = 1u << 8,
  kVarSample = 1u << 9,
  kVarInvariant = 1u << 10,
  kVarPrecise = 1u << 11,
  kVarPatch = 1u << 12,
  kVarPerVertex = 1u << 13,
  kVarPerPrimitive = 1u << 14,
  kVarMediump = 1u << 15,  // mediump or lowp in force
  kVarRowMajorDefault = 1u << 16,
  kVarStatic = 1u << 17,
  kVarUsed = 1u << 18,        // named by something reachable or not
  kVarHasCounter = 1u << 19,  // HLSL buffer whose counter methods are used, append and consume buffers
  kVarShaderRecord = 1u << 20,
  kVarTypedBuffer = 1u << 21,
  kVarGlobalsBlock = 1u << 22,  // the implicit cbuffer $Globals
  kVarResourceHeap = 1u << 24,  // one resource type of ResourceDescriptorHeap: all types share one binding
  kVarSamplerHeap = 1u << 25,
  kVarNonUniform = 1u << 26,  // GLSL: nonuniformEXT in its declaration
  kVarSpecValue = 1u << 23,   // const_variable: its initialiser depends on constants and specialization constants only
};

enum class RegisterClass : uint8_t { none, b, t, s, u, c };

struct Variable {
  VarKind kind = VarKind::local;
  NameId name;
  TypeId type;
  uint32_t flags = 0;  // VarFlags
  NodeId decl;         // declarator, param, interface_block, buffer_block; none for implicit ones
  NodeId init;         // initialiser expression or init_list, none: not initialised. Its facts are converted to `type`
  ConstId value;       // constant, spec_constant: the (default) value
  FuncId function;     // of locals and parameters
  Stage only_stage = Stage::none;
  // resources
  uint32_t set = Id<TypeId>::kNone;  // GLSL set, [[vk::binding]]
  uint32_t binding = Id<TypeId>::kNone;
  uint32_t counter_binding = Id<TypeId>::kNone;        // [[vk::counter_binding]]
  RegisterClass register_class = RegisterClass::none;  // written or implied by the type
  uint32_t register_index = Id<TypeId>::kNone;         // none: not written
  uint32_t register_space = Id<TypeId>::kNone;
  uint32_t input_attachment = Id<TypeId>::kNone;
  LayoutRule layout = LayoutRule::std430;  // of blocks and storage objects
  // interface
  uint32_t location = Id<TypeId>::kNone;
  uint32_t component = Id<TypeId>::kNone;
  uint32_t index = Id<TypeId>::kNone;
  uint32_t offset = Id<TypeId>::kNone;  // atomic counters, xfb
  uint32_t constant_id = Id<TypeId>::kNone;
  BuiltinVar builtin = BuiltinVar::none;  // for builtin: `type` is that of the source language, the IR's may differ in sign
  NameId semantic;                        // without its index; empty if none
  uint32_t semantic_index = 0;
  NameId block_name;  // blocks: the block's own name (name = instance, empty if none)
  VarId owner;        // block_member
  uint32_t member = 0;
};

enum class ParamMode : uint8_t { in, out, inout, ref };  // ref: only built-ins (atomics)

struct Parameter {
  VarId var;  // its type, name, flags; none for a prototype
  TypeId type;
  ParamMode mode = ParamMode::in;
  NodeId default_value;
};

enum FuncFlags : uint16_t {
  kFuncMethod = 1,  // has `this`: the first implicit argument is a reference to `this_type`
  kFuncStatic = 2,
  kFuncEntry = 4,
  kFuncUsed = 8,  // reachable from an entry
  kFuncExport = 16,
  kFuncNoInline = 32,
  kFuncOperator = 64,
  kFuncPrecise = 128,  // result is precise
  kFuncSubgroupUniform = 256,
  kFuncMaximalReconvergence = 512,
};

struct Function {
  NameId name;  // operators: "operator+"
  TypeId result;
  std::vector<Parameter> params;
  NodeId decl;  // function_decl with the body, else the first prototype
  NodeId body;  // block; none: never defined
  TypeId this_type;
  uint16_t flags = 0;
  std::vector<FuncId> callees;  // each once
  NameId semantic;              // HLSL: of the result
  uint32_t semantic_index = 0;
  BuiltinVar result_builtin = BuiltinVar::none;
  uint32_t result_location = Id<TypeId>::kNone;  // HLSL: [[vk::location]] of the result
  uint32_t result_index = Id<TypeId>::kNone;     // and [[vk::index]]
};

/// Semantic and qualifiers of a struct member used as stage interface (HLSL structs, GLSL blocks).
struct MemberInfo {
  BuiltinVar builtin = BuiltinVar::none;
  NameId semantic;
  uint32_t semantic_index = 0;
  uint32_t location = Id<TypeId>::kNone;
  uint32_t component = Id<TypeId>::kNone;
  uint32_t index = Id<TypeId>::kNone;  // of dual-source blending
  uint32_t flags = 0;                  // VarFlags: interpolation, readonly, precise, mediump ...
  NodeId decl;
};

/// HLSL: a struct member in bits of the member `member` of the struct.
struct BitField {
  NameId name;
  uint32_t member = 0;
  uint8_t offset = 0;
  uint8_t width = 0;
};

enum EntryFactFlags : uint32_t {
  kFactEarlyTests = 1,
  kFactDepthGreater = 2,
  kFactDepthLess = 4,
  kFactDepthUnchanged = 8,
  kFactOriginUpperLeft = 16,
  kFactSubgroupUniform = 128,
  kFactMaximalReconvergence = 256,
  kFactRoundEven16 = 512,
  kFactRoundEven32 = 1024,
  kFactRoundEven64 = 2048,
};

/// One value of the workgroup size: a number, or a specialization constant (a VarId or an id with this default).
struct SizeValue {
  uint32_t value = 1;
  VarId spec;  // spec_constant of type u32
};

/// [WaveSize(n)] has one size as all three; without a preferred one that is 0.
struct WaveSizes {
  uint32_t min = 0, max = 0, preferred = 0;
  NodeId attribute;  // none: nothing was asked for
};

struct EntryFact {
  FuncId function;
  NameId name;
  Stage stage = Stage::none;
  SizeValue workgroup[3];
  WaveSizes wave_sizes;
  uint32_t flags = 0;  // EntryFactFlags
};

/// #pragma pack_matrix: from this token on matrices whose declaration says nothing are so.
struct PackMatrix {
  uint32_t token = 0;
  bool row_major = false;
};

/// What a GLSL buffer reference points to: a block laid out by this rule. Its type is the object type `buffer_reference`
/// of the block's struct; a member access on one goes through the address.
struct ReferenceFact {
  LayoutRule layout = LayoutRule::std430;
  uint32_t flags = 0;   // VarFlags: readonly, writeonly, coherent, volatile
  uint32_t align = 16;  // of the address, as written
};

// ---- calls ----

enum class CallKind : uint8_t {
  user,     // `function`; `object`: the node of `this` for methods (none: the implicit this)
  builtin,  // `form` with `bindings` of ops/builtins.h, functions and methods of textures and buffers alike
};

/// One parameter of the callee in order. `node` is none when the default value is used, then see `default_value`.
struct Argument {
  NodeId node;
  NodeId default_value;  // expression in the callee's declaration, converted to the parameter's type there
  TypeId type;           // the parameter's type. in: node is converted to it already. out, inout: the l-value has
                         // facts.node(node).type; convert in both directions as the mode asks. ref: a place
  ParamMode mode = ParamMode::in;
};

struct Call {
  CallKind kind = CallKind::user;
  FuncId function;
  const builtins::Form* form = nullptr;
  builtins::Bindings bindings;  // element: of a method's object, or the T of Load<T>
  NodeId object;                // object of a method call (not among `args`); none for functions and the implicit this
  TypeId object_type;
  TypeId result;
  Range<Argument> args;  // into Facts::arguments
};

// ---- all of it ----

struct Facts {
  std::vector<NodeFact> nodes;  // by NodeId
  Store<VarId, Variable> variables;
  Store<FuncId, Function> functions;
  Store<CallId, Call> calls;
  std::vector<Argument> arguments;
  std::vector<std::vector<BitField>> bit_fields;           // by StructId, those of one struct in order; may be shorter or empty
  std::vector<std::vector<MemberInfo>> members;            // by StructId: interface facts of members; may be shorter or empty
  std::unordered_map<uint32_t, ReferenceFact> references;  // by StructId
  std::vector<PackMatrix> pack_matrix;  // HLSL, in the order of the source; the first is what holds before all pragmas
  std::vector<EntryFact> entries;
  std::vector<VarId> globals;          // module-level variables of all kinds, in order of declaration; block_member ones not
  std::vector<FuncId> function_order;  // with a body, reachable from the entries, callees first
  /// Arrays sized by specialization constants: Type::count_override of a type here is an index into this list (not yet a
  /// ValueId); the node's facts have kFactSpec and an integer type. Lowering maps such types.
  std::vector<NodeId> array_sizes;

  [[nodiscard]] const NodeFact& node(NodeId n) const { return nodes[n.value]; }
  /// The type of the node's value after conversion.
  [[nodiscard]] TypeId result_type(NodeId n) const {
    const NodeFact& f = nodes[n.value];
    return f.converted ? f.converted : f.type;
  }
  [[nodiscard]] bool row_major_at(uint32_t token, bool by_default) const {
    for (const PackMatrix& p : pack_matrix) {
      if (p.token <= token) by_default = p.row_major;
    }
    return by_default;
  }
  [[nodiscard]] bool has(NodeId n, NodeFactFlags flag) const { return (nodes[n.value].flags & flag) != 0; }
  [[nodiscard]] std::span<const BitField> bit_fields_of(StructId id) const {
    return id.value < bit_fields.size() ? std::span<const BitField>(bit_fields[id.value]) : std::span<const BitField>();
  }
  [[nodiscard]] VarId variable_of(NodeId n) const {
    const NodeFact& f = nodes[n.value];
    return f.ref == Ref::variable ? VarId(f.index) : VarId();
  }
  [[nodiscard]] const Call& call_of(NodeId n) const { return calls[CallId(nodes[n.value].index)]; }
  [[nodiscard]] std::span<const Argument> args_of(const Call& call) const {
    return {arguments.data() + call.args.first, call.args.count};
  }
};

/// Facts as text, for tests: functions, globals, and per expression its type, conversion, value.
[[nodiscard]] std::string dump(const Facts& facts, const Tree& tree, const TypeTable& types, const Names& names);

}  // namespace carry
