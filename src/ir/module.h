// The IR: structured SSA. ir.md is the reference; this header is its memory form. A Module owns everything but the types,
// constants, layouts and names, which belong to the Compilation (`Context`) and only grow, so clones share them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/names.h"
#include "base/store.h"
#include "ops/ops.h"
#include "source/loc.h"
#include "types/layout.h"
#include "types/stage.h"
#include "types/types.h"

namespace carry::ir {

/// What modules of one Compilation share.
struct Context {
  Names names;
  TypeTable types;
  LayoutTable layouts;
};

struct InstId : Id<InstId> {
  using Id::Id;
};
struct RegionId : Id<RegionId> {
  using Id::Id;
};
struct FunctionId : Id<FunctionId> {
  using Id::Id;
};
struct GlobalId : Id<GlobalId> {
  using Id::Id;
};
struct LocId : Id<LocId> {
  using Id::Id;
};

/// An operand: a local of its function, a constant, or a global. One word; the tag is in the top two bits.
struct ValueId : Id<ValueId> {
  using Id::Id;
  static constexpr uint32_t kIndexMask = 0x3fffffffu;
  static constexpr ValueId local(uint32_t index) { return ValueId(index); }
  static constexpr ValueId constant(ConstId id) { return ValueId(0x40000000u | id.value); }
  static constexpr ValueId global(GlobalId id) { return ValueId(0x80000000u | id.value); }
  [[nodiscard]] constexpr bool is_local() const { return (value >> 30) == 0; }
  [[nodiscard]] constexpr bool is_constant() const { return (value >> 30) == 1; }
  [[nodiscard]] constexpr bool is_global() const { return (value >> 30) == 2; }
  [[nodiscard]] constexpr uint32_t index() const { return value & kIndexMask; }
  [[nodiscard]] constexpr ConstId const_id() const { return ConstId(index()); }
  [[nodiscard]] constexpr GlobalId global_id() const { return GlobalId(index()); }
};

enum InstFlags : uint8_t {
  kPrecise = 1,
  kRelaxed = 2,
  kNonUniform = 4,
  kVolatile = 8,
  kCoherent = 16,
};

struct Inst {
  Op op{};
  uint8_t result_count = 0;
  uint8_t flags = 0;  // InstFlags
  LocId loc;
  ValueId first_result;     // results are consecutive locals (module level: consecutive globals)
  Range<ValueId> operands;  // into Module::operand_pool
  Range<RegionId> regions;  // into Module::region_pool
  uint32_t payload = 0;     // by op, see below
};
static_assert(sizeof(Inst) == 32);

/// Parameters are consecutive locals; the last inst is the terminator.
struct Region {
  ValueId first_param;
  uint32_t param_count = 0;
  std::vector<InstId> insts;
};

struct LocInfo {
  LocRange range;
  LocId inlined_at;
};

// ---- payloads ----

enum class Scope : uint8_t { invocation, subgroup, workgroup, queue_family, device };
enum class Order : uint8_t { relaxed, acquire, release, acq_rel };
enum SpaceBits : uint8_t { kSpaceStorage = 1, kSpaceWorkgroup = 2, kSpaceImage = 4 };

struct AtomicInfo {
  Scope scope = Scope::device;
  Order order = Order::relaxed;
  [[nodiscard]] constexpr uint32_t pack() const { return static_cast<uint32_t>(scope) | static_cast<uint32_t>(order) << 4; }
  static constexpr AtomicInfo unpack(uint32_t p) { return {static_cast<Scope>(p & 15), static_cast<Order>(p >> 4 & 15)}; }
};

/// `exec` = invocation means: no execution barrier, only a memory barrier.
struct BarrierInfo {
  Scope exec = Scope::invocation;
  Scope scope = Scope::workgroup;
  Order order = Order::acq_rel;
  uint8_t spaces = 0;  // SpaceBits
  [[nodiscard]] constexpr uint32_t pack() const {
    return static_cast<uint32_t>(exec) | static_cast<uint32_t>(scope) << 4 | static_cast<uint32_t>(order) << 8 |
           static_cast<uint32_t>(spaces) << 12;
  }
  static constexpr BarrierInfo unpack(uint32_t p) {
    return {static_cast<Scope>(p & 15), static_cast<Scope>(p >> 4 & 15), static_cast<Order>(p >> 8 & 15),
            static_cast<uint8_t>(p >> 12 & 15)};
  }
};

/// Optional operands of sample, gather, fetch, in this order after the coordinate. `sampler` says that operand 1 is one
/// (a combined value has none).
enum SampleOperand : uint16_t {
  kSampleHasSampler = 1,
  kSampleCompare = 2,  // depth reference
  kSampleBias = 4,
  kSampleLod = 8,    // also fetch's level
  kSampleGrad = 16,  // two operands: ddx, ddy
  kSampleOffset = 32,
  kSampleOffsets = 64,  // gather: array of four offsets
  kSampleMinLod = 128,
  kSampleIndex = 256,    // fetch of multisampled textures
  kSampleProject = 512,  // coordinate carries the divisor as its last component
};
struct SampleInfo {
  uint16_t mask = 0;
  uint8_t component = 0;  // gather
  [[nodiscard]] constexpr uint32_t pack() const { return mask | static_cast<uint32_t>(component) << 16; }
  static constexpr SampleInfo unpack(uint32_t p) { return {static_cast<uint16_t>(p & 0xffff), static_cast<uint8_t>(p >> 16)}; }
};

enum class SubgroupOp : uint8_t { add, mul, smin, umin, fmin, smax, umax, fmax, and_, or_, xor_, fadd, fmul };
enum class SubgroupForm : uint8_t { reduce, inclusive, exclusive };
struct SubgroupInfo {
  SubgroupOp op = SubgroupOp::add;
  SubgroupForm form = SubgroupForm::reduce;
  uint16_t cluster = 0;  // 0: the whole subgroup
  [[nodiscard]] constexpr uint32_t pack() const {
    return static_cast<uint32_t>(op) | static_cast<uint32_t>(form) << 8 | static_cast<uint32_t>(cluster) << 16;
  }
  static constexpr SubgroupInfo unpack(uint32_t p) {
    return {static_cast<SubgroupOp>(p & 255), static_cast<SubgroupForm>(p >> 8 & 255), static_cast<uint16_t>(p >> 16)};
  }
};

/// A reduction, or a scan that text targets have too: a sum or a product.
[[nodiscard]] constexpr bool is_native_scan(const SubgroupInfo& info) {
  const bool sum = info.op == SubgroupOp::add || info.op == SubgroupOp::fadd;
  return info.form == SubgroupForm::reduce || sum || info.op == SubgroupOp::mul || info.op == SubgroupOp::fmul;
}

/// Payload of `switch` indexes Module::switches. cases[i] belongs to region i; the default may have labels too.
struct SwitchCase {
  std::vector<ConstId> labels;
  bool is_default = false;
};
struct SwitchInfo {
  std::vector<SwitchCase> cases;
};

using carry::BranchHint;  // payload of if_ and loop

constexpr uint32_t pack_shuffle(std::span<const uint32_t> components) {
  uint32_t p = 0;
  for (size_t i = 0; i < components.size(); ++i) p |= components[i] << (4 * i);
  return p;
}

// ---- globals ----

enum class GlobalKind : uint8_t {
  variable,   // its value is a pointer
  override_,  // specialization constant: its value is the constant
  result,     // result of a module-level inst
};

using carry::BuiltinVar;

enum GlobalFlags : uint32_t {
  kGlobalCoherent = 1u << 0,
  kGlobalVolatile = 1u << 1,
  kGlobalRestrict = 1u << 2,
  kGlobalAliased = 1u << 3,
  kGlobalByteAddress = 1u << 4,
  kGlobalFlat = 1u << 5,
  kGlobalNoPerspective = 1u << 6,
  kGlobalCentroid = 1u << 7,
  kGlobalSample = 1u << 8,
  kGlobalInvariant = 1u << 9,
  kGlobalPerVertex = 1u << 10,
  kGlobalPerPrimitive = 1u << 11,
  kGlobalPatch = 1u << 12,
  kGlobalRelaxed = 1u << 13,
  kGlobalHeap = 1u << 14,
  kGlobalUsed = 1u << 15,  // keep although nothing reads it
  kGlobalPrecise = 1u << 16,
};

struct Global {
  GlobalKind kind = GlobalKind::variable;
  Space space = Space::none;
  Access access = Access::none;
  NameId name;        // source name
  TypeId type;        // of the value: pointer for variables, scalar for overrides
  TypeId value_type;  // pointee (= type for the other kinds)
  LayoutId layout;
  uint32_t flags = 0;  // GlobalFlags
  BuiltinVar builtin = BuiltinVar::none;
  uint32_t set = Id<TypeId>::kNone;  // @bind
  uint32_t binding = Id<TypeId>::kNone;
  uint32_t location = Id<TypeId>::kNone;
  uint32_t component = Id<TypeId>::kNone;
  uint32_t index = Id<TypeId>::kNone;  // dual-source blending
  uint32_t input_attachment = Id<TypeId>::kNone;
  NameId block;  // @block(name, member)
  NameId block_member;
  NameId semantic;  // @semantic("COLOR", 0)
  uint32_t semantic_index = 0;
  GlobalId counter_of;
  uint32_t override_id = Id<TypeId>::kNone;
  ValueId init;  // private: constant; override: default constant
  LocId loc;
};

// ---- functions ----

/// Stage interface or binding of an entry parameter, of a member of its struct, or of a part of an entry's result.
/// Introduced by passes for targets that lack `io_globals` or `module_resource`; canonical entries have none.
enum class SlotKind : uint8_t { none, buffer, texture, sampler };
struct IoAttr {
  BuiltinVar builtin = BuiltinVar::none;
  uint32_t location = Id<TypeId>::kNone;
  uint32_t component = Id<TypeId>::kNone;
  uint32_t index = Id<TypeId>::kNone;
  uint32_t flags = 0;                   // GlobalFlags: interpolation, invariant
  GlobalId resource;                    // the resource that this parameter hands in
  SlotKind slot_kind = SlotKind::none;  // MSL: [[buffer(slot)]], [[texture(slot)]], [[sampler(slot)]]
  uint32_t slot = 0;
};

enum class ParamMode : uint8_t { value, out, inout };  // out and inout: the local is a ptr<function, T>
struct Param {
  ValueId value;
  ParamMode mode = ParamMode::value;
  NameId name;
};

using carry::Stage;
[[nodiscard]] std::string_view stage_name(Stage s);

enum EntryFlags : uint32_t {
  kEntryEarlyTests = 1,
  kEntryDepthGreater = 2,
  kEntryDepthLess = 4,
  kEntryDepthUnchanged = 8,
  kEntryOriginUpperLeft = 16,
  kEntryWritesDepth = 32,
  kEntryPostDepthCoverage = 64,
  kEntryQuadDerivatives = 128,
  kEntryFullQuads = 256,
  kEntryMaximalReconvergence = 512,
  kEntryRoundEven16 = 2048,  // asked for by the source; all our float ops round so anyway
  kEntryRoundEven32 = 4096,
  kEntryRoundEven64 = 8192,
  kEntrySubgroupUniform = 1024,  // lanes of a subgroup meet again wherever their ways were uniform for the subgroup
};
struct EntryInfo {
  Stage stage = Stage::none;
  std::array<ValueId, 3> workgroup_size{};  // constants or overrides of u32
  uint32_t flags = 0;                       // EntryFlags
};

struct Function {
  NameId name;
  TypeId result;  // void_ for none
  std::vector<Param> params;
  std::vector<std::vector<IoAttr>> param_io;  // entries after io_to_params: per parameter, one item, or one a struct member
  std::vector<IoAttr> result_io;              // likewise for the result: one item, or one a struct member
  RegionId body;
  std::vector<TypeId> value_types;  // of locals; index = ValueId::index()
  std::vector<NameId> value_names;  // same length; none where the source named nothing
  bool is_entry = false;
  bool dead = false;  // removed by a pass; skipped everywhere
  EntryInfo entry;
  LocId loc;
};

/// Where globals went after a pass split or moved them: the executor and reflection match by set and binding.
struct BindingMove {
  uint32_t old_set, old_binding, new_set, new_binding;
  enum class What : uint8_t { whole, texture, sampler } what = What::whole;
};

struct Module {
  explicit Module(Context& context) : context(&context) {}
  [[nodiscard]] Module clone() const { return *this; }

  Context* context;
  Store<InstId, Inst> insts;
  Store<RegionId, Region> regions;
  std::vector<ValueId> operand_pool;
  std::vector<RegionId> region_pool;
  std::vector<SwitchInfo> switches;
  Store<GlobalId, Global> globals;
  std::vector<GlobalId> dead_globals;  // removed by passes; `global_order` no longer lists them
  std::vector<GlobalId> global_order;  // declaration order of live globals
  Store<FunctionId, Function> functions;
  std::vector<FunctionId> function_order;  // callees before callers; live functions only
  std::vector<InstId> module_insts;        // pure insts on constants and overrides, in order
  Store<LocId, LocInfo> locs;
  std::vector<BindingMove> binding_moves;
  bool layouts_in_types = false;  // set by materialise_layouts: each layout is the target's natural one of its type
  NameId source_file;

  [[nodiscard]] TypeTable& types() const { return context->types; }
  [[nodiscard]] LayoutTable& layouts() const { return context->layouts; }
  [[nodiscard]] Names& names() const { return context->names; }

  [[nodiscard]] std::span<const ValueId> operands(const Inst& inst) const {
    return {operand_pool.data() + inst.operands.first, inst.operands.count};
  }
  [[nodiscard]] std::span<ValueId> operands(const Inst& inst) {
    return {operand_pool.data() + inst.operands.first, inst.operands.count};
  }
  [[nodiscard]] ValueId operand(const Inst& inst, uint32_t i) const { return operand_pool[inst.operands.first + i]; }
  [[nodiscard]] std::span<const RegionId> inst_regions(const Inst& inst) const {
    return {region_pool.data() + inst.regions.first, inst.regions.count};
  }
  [[nodiscard]] RegionId inst_region(const Inst& inst, uint32_t i) const { return region_pool[inst.regions.first + i]; }
  [[nodiscard]] ValueId result(const Inst& inst, uint32_t i = 0) const { return ValueId(inst.first_result.value + i); }

  [[nodiscard]] TypeId type_of(const Function& f, ValueId v) const {
    if (v.is_local()) return f.value_types[v.index()];
    if (v.is_constant()) return types().constant(v.const_id()).type;
    return globals[v.global_id()].type;
  }

  Range<ValueId> add_operands(std::span<const ValueId> values);
  Range<RegionId> add_regions(std::span<const RegionId> ids);
  /// Adds to `global_order` too. Fills `type` from the other fields for variables.
  GlobalId add_global(Global global);
  LocId add_loc(LocRange range, LocId inlined_at = {});
};

/// The (one) type of a built-in variable by table, before arrays of tessellation and the like.
[[nodiscard]] std::string_view builtin_var_name(BuiltinVar v);

}  // namespace carry::ir
