// What runs: the decoded program and the state of one batch of lanes. Internal to exec/.
//
// Registers. Every value is flattened into scalars; each scalar owns a row, one word a lane: 32 bits, or 64 for 64-bit scalars
// and pointers (two row units). Narrower scalars stand zero-extended in 32 bits, bool is 0 or 1, a handle is an id. Components
// follow each other, so a vector operation is one loop. Code holds offsets in 32-bit words from the register base.
// Rows of inactive lanes hold garbage that nobody reads: pure operations ignore the mask; memory, region results and
// loop values respect it.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/executor.h"

namespace carry::exec {

struct Machine;
struct Code;
using Handler = void (*)(Machine&, const Code&);

inline constexpr uint32_t kNoRow = 0xffffffffu;
inline constexpr uint32_t kBadOffset = 0xffffffffu;  // pointer out of bounds: reads zero, writes vanish

struct Code {
  Handler fn = nullptr;
  uint32_t dst = 0;
  uint32_t a = 0, b = 0, c = 0;
  uint32_t n = 1;    // components
  uint32_t aux = 0;  // index of a side record, or a small number
  ir::InstId inst;
};

/// One scalar of a value in memory. `mem` counts words (lane and group memory) or bytes (laid-out memory).
struct Leaf {
  uint32_t mem = 0;
  uint32_t reg = 0;  // in words from the value's first row
  ScalarKind kind{};
  uint8_t bytes = 4;  // in laid-out memory; bool 4
  bool wide = false;  // 64-bit row
};

enum class MemMode : uint8_t { none, lane, group, bytes, handle, texel };

/// Where an instruction's pointer operand leads; the dynamic parts are rows.
struct Address {
  MemMode mode = MemMode::none;
  uint32_t object = 0;  // bytes: object; handle: first slot
  uint32_t object_row = kNoRow;
  uint32_t offset = 0;           // lane, group: words; bytes: bytes
  uint32_t offset_row = kNoRow;  // added; kBadOffset in it means out of bounds
  uint32_t image_row = kNoRow;   // texel
  uint32_t coord_row = kNoRow;
  uint32_t sample_row = kNoRow;
  uint32_t coord_count = 0;
  TypeId image_type;  // texel
  bool readonly = false, writeonly = false;
};

struct MemAccess {
  Address address;
  const std::vector<Leaf>* leaves = nullptr;  // of Program::leaf_lists
};

struct Step {  // one dynamic step of `at`
  uint32_t index_row = 0;
  uint32_t stride = 0;
  uint32_t count = 0;
  uint32_t before = 0;      // fixed offset of the address at this step
  bool runtime = false;     // runtime-sized array: as many as the buffer holds after `before`
  bool descriptor = false;  // selects an object
};

struct AtPlan {
  Address base;
  std::vector<Step> steps;
  uint32_t offset_out = kNoRow;
  uint32_t object_out = kNoRow;
};

struct CopyPart {
  uint32_t dst = 0, src = 0, units = 0;
};
struct Copies {
  std::vector<CopyPart> parts;
};

struct Mask {
  uint32_t* lanes = nullptr;  // 0 or all ones
  uint32_t count = 0, lo = 0, hi = 0;
};

struct RegionCode {
  std::vector<Code> code;
  uint32_t mask = 0;  // its active mask
  uint64_t cost = 1;
};

struct IfCode {
  uint32_t condition = 0;
  uint32_t regions[2] = {0, 0};
  uint32_t merge = 0;  // mask of the lanes that yielded
};
struct SwitchCode {
  uint32_t selector = 0;
  bool wide = false;
  uint32_t default_region = 0;  // index into `regions`
  std::vector<uint32_t> regions;
  std::vector<std::pair<uint64_t, uint32_t>> labels;  // value, index into `regions`
  uint32_t merge = 0;
  uint32_t choice_row = 0;
};
struct LoopCode {
  uint32_t body = 0, continuing = 0;
  uint32_t init = 0;  // copies
  uint32_t exit = 0;  // masks
  uint32_t go_on = 0;
  uint32_t again = 0;
};
struct CallCode {
  uint32_t function = 0;
  uint32_t args = 0;    // copies
  uint32_t result = 0;  // copies
};
struct NextIfCode {
  uint32_t condition = 0;
  uint32_t again = 0, exit = 0;  // masks
  uint32_t again_copies = 0, exit_copies = 0;
};
struct FunctionCode {
  uint32_t body = 0;      // region
  uint32_t returned = 0;  // mask
  bool decoded = false;
  std::string name;
};

struct EvalCode {
  Op op{};
  uint32_t payload = 0;
  ScalarKind kind{};  // of operand 0 (conversions: source)
  ScalarKind result_kind{};
  struct Part {
    uint32_t row = 0;
    uint32_t count = 1;             // components (matrix: all)
    uint8_t columns = 0, rows = 0;  // matrix
    ScalarKind kind{};
  };
  std::vector<Part> args, results;
  bool componentwise = true;
};

struct LaneOp {  // subgroup and quad operations
  Op op{};
  uint32_t payload = 0;
  ScalarKind kind{};
  uint32_t components = 1;
  uint32_t dst = 0, a = 0, b = kNoRow;
};

struct ImageOp {
  Op op{};
  TypeId image_type;
  uint32_t mask = 0, gather_component = 0;
  bool combined = false;
  uint32_t dst = kNoRow, dst_count = 0;
  ScalarKind dst_kind{};
  uint32_t image = kNoRow, sampler = kNoRow;
  uint32_t coord = kNoRow, coord_count = 0;
  ScalarKind coord_kind{};
  uint32_t compare = kNoRow, bias = kNoRow, lod = kNoRow, ddx = kNoRow, ddy = kNoRow, offset = kNoRow, offsets = kNoRow,
           min_lod = kNoRow, sample = kNoRow, value = kNoRow;
  ScalarKind lod_kind{};
  uint32_t offset_count = 0, grad_count = 0, value_count = 0;
};

struct ConstFill {
  uint32_t row = 0;
  uint64_t bits = 0;
  bool wide = false;
};

struct BuiltinFill {
  BuiltinVar builtin{};
  uint32_t lane_word = 0;  // in lane memory
};

/// Static initial values of lane memory (private globals): copied from constant rows.
struct LaneInit {
  uint32_t lane_word = 0, row = 0, units = 0;
};

/// What --trace shows after an instruction.
struct TraceValue {
  ir::InstId inst;
  uint32_t row = 0, count = 1;
  ScalarKind kind{};
  std::string name;
};

struct Program {
  std::vector<TraceValue> traces;  // with trace_lane only, by rising inst
  std::vector<RegionCode> regions;
  std::vector<FunctionCode> functions;  // by FunctionId
  std::vector<IfCode> ifs;
  std::vector<SwitchCode> switches;
  std::vector<LoopCode> loops;
  std::vector<CallCode> calls;
  std::vector<NextIfCode> next_ifs;
  std::vector<Copies> copies;
  std::vector<MemAccess> accesses;
  std::vector<std::unique_ptr<std::vector<Leaf>>> leaf_lists;
  std::vector<AtPlan> at_plans;
  std::vector<EvalCode> evals;
  std::vector<LaneOp> lane_ops;
  std::vector<ImageOp> image_ops;
  std::vector<ConstFill> fills;
  std::vector<BuiltinFill> builtins;
  std::vector<LaneInit> lane_inits;
  std::vector<std::string> messages;
  uint64_t units = 0;       // register row units
  uint64_t lane_words = 0;  // lane memory, words a lane
  uint64_t group_words = 0;
  uint32_t masks = 0;
  bool uses_barrier = false;
};

/// A buffer. Object 0 is null: size 0.
struct Object {
  uint8_t* data = nullptr;
  uint64_t size = 0;
};

struct Checker;

struct Machine {
  const ir::Module* module = nullptr;
  const Program* program = nullptr;
  const ExecOptions* options = nullptr;
  Resources* resources = nullptr;
  Checker* checker = nullptr;  // set when any check is on

  uint32_t lanes = 1, stride = 16, group_size = 1, batch_groups = 1;
  uint32_t live_groups = 1;  // groups of this batch that exist
  uint64_t first_group = 0;  // position in the sequence of groups
  uint32_t* regs = nullptr;
  uint32_t* lane_mem = nullptr;
  uint32_t* group_mem = nullptr;
  std::vector<uint32_t> group_base;  // by lane: word offset of its group's memory
  std::vector<uint32_t> order;       // empty: forward
  std::vector<Mask> masks;
  std::vector<Object> objects;
  std::vector<uint32_t> object_slots;  // descriptors of bindings: object ids, image ids + 1, sampler ids + 1
  std::vector<uint8_t> helper;         // demoted lanes, empty until the first demote
  Mask* active = nullptr;
  uint32_t lo = 0, hi = 0;  // bounds of the active lanes
  bool live = false;        // some lane is active and no fault happened
  bool reverse_ifs = false;
  bool faulted = false;
  Fault fault;
  uint64_t steps = 0, batch_limit = 0;
  uint32_t depth = 0;  // of the region that runs
  ir::InstId loop_inst;
  uint32_t function = 0;  // the one that runs
  uint64_t random = 0;
  int32_t trace_lane = -1;  // in this batch
  std::vector<TraceLine>* trace = nullptr;

  template <class T>
  [[nodiscard]] T* at(uint32_t word) const {
    return reinterpret_cast<T*>(regs + word);
  }
  [[nodiscard]] bool full_range() const { return lo == 0 && hi == lanes; }
  void set_active(Mask& mask) {
    active = &mask;
    lo = mask.lo;
    hi = mask.hi;
    live = mask.count != 0 && !faulted;
  }
  void set_fault(ir::InstId inst, std::string message);
  uint64_t next_random() {
    random += 0x9e3779b97f4a7c15u;
    uint64_t z = random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

/// Calls f(lane) for each active lane in the order of the options.
template <class F>
inline void for_active(const Machine& m, F f) {
  const uint32_t* on = m.active->lanes;
  if (m.order.empty()) {
    for (uint32_t i = m.lo; i < m.hi; ++i) {
      if (on[i] != 0) f(i);
    }
    return;
  }
  for (uint32_t i : m.order) {
    if (i >= m.lo && i < m.hi && on[i] != 0) f(i);
  }
}

/// Elements of rows. One row is seen as different types by different handlers: exec/ is compiled with -fno-strict-aliasing.
using RowI32 = int32_t;
using RowU32 = uint32_t;
using RowI64 = int64_t;
using RowU64 = uint64_t;
using RowF32 = float;
using RowF64 = double;

[[nodiscard]] inline uint64_t read_row(const Machine& m, uint32_t row, bool wide, uint32_t lane) {
  return wide ? m.at<RowU64>(row)[lane] : m.regs[row + lane];
}
inline void write_row(Machine& m, uint32_t row, bool wide, uint32_t lane, uint64_t bits) {
  if (wide) {
    m.at<RowU64>(row)[lane] = bits;
  } else {
    m.regs[row + lane] = static_cast<uint32_t>(bits);
  }
}
[[nodiscard]] inline bool is_wide(ScalarKind k) { return k == ScalarKind::i64 || k == ScalarKind::u64 || k == ScalarKind::f64; }
/// Row of component i of a value that starts at `row`.
[[nodiscard]] inline uint32_t component_row(const Machine& m, uint32_t row, bool wide, uint32_t i) {
  return row + i * m.stride * (wide ? 2 : 1);
}

// ---- control (control.cpp) ----
void run_function(Machine& m, uint32_t function, const Mask& entry_mask);
void refresh(const Machine& m, Mask& mask);
void clear_mask(const Machine& m, Mask& mask);
void run_copies(Machine& m, const Copies& copies, const Mask& mask);

}  // namespace carry::exec
