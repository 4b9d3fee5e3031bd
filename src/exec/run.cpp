#include <algorithm>
#include <cstdlib>

#include "exec/check.h"
#include "exec/decode.h"

namespace carry::exec {

namespace {

constexpr uint32_t kMostLanes = 1u << 16;  // of one workgroup
constexpr uint32_t kWantedLanes = 128;     // smaller groups run together up to this many

struct Memory {
  std::vector<uint64_t> bytes;  // 64-bit words; the rows start at a multiple of 64 bytes
  [[nodiscard]] uint32_t* allocate(uint64_t words) {
    bytes.assign(words / 2 + 16, 0);
    const uintptr_t p = reinterpret_cast<uintptr_t>(bytes.data());
    return reinterpret_cast<uint32_t*>((p + 63) / 64 * 64);
  }
};

uint32_t row_stride(uint32_t lanes) { return (lanes + 15) / 16 * 16; }

void fill_constants(Machine& m) {
  for (const ConstFill& fill : m.program->fills) {
    if (fill.wide) {
      std::fill_n(m.at<uint64_t>(fill.row), m.stride, fill.bits);
    } else {
      std::fill_n(m.regs + fill.row, m.stride, static_cast<uint32_t>(fill.bits));
    }
  }
}

/// Values of overrides and module-level results.
bool module_values(const ir::Module& module, const ExecOptions& options, ModuleValues& values, Fault& fault) {
  values.by_global.assign(module.globals.size(), {});
  constexpr uint32_t kStride = 16;
  Resources none;
  Program program;
  Bound bound;
  ModuleValues empty;
  Decoder decoder(module, options, kStride, empty, none, program, bound);
  if (!decoder.decode_module_insts()) {
    fault = decoder.fault();
    return false;
  }
  Machine m;
  Memory regs;
  Memory masks;
  m.module = &module;
  m.program = &program;
  m.options = &options;
  m.resources = &none;
  m.stride = kStride;
  m.batch_limit = options.max_steps;
  m.regs = regs.allocate(program.units * kStride);
  uint32_t* rows = masks.allocate(uint64_t{program.masks} * kStride);
  m.masks.resize(program.masks);
  for (uint32_t i = 0; i < program.masks; ++i) m.masks[i].lanes = rows + size_t{i} * kStride;
  fill_constants(m);
  Mask one;
  std::vector<uint32_t> on(kStride, 0);
  on[0] = ~0u;
  one.lanes = on.data();
  one.count = one.hi = 1;
  run_function(m, 0, one);
  if (m.faulted) {
    fault = m.fault;
    return false;
  }
  for (ir::GlobalId g : module.globals.ids()) {
    const ir::Global& global = module.globals[g];
    if (global.kind == ir::GlobalKind::variable || decoder.global_row(g) == kNoRow) continue;
    decoder.for_leaves(global.type, 0, [&](uint32_t unit, ScalarKind, bool wide) {
      values.by_global[g.value].push_back(read_row(m, decoder.global_row(g) + unit * kStride, wide, 0));
    });
  }
  return true;
}

bool group_shape(const ir::Module& module, ir::FunctionId entry, const ModuleValues& values, std::array<uint32_t, 3>& size,
                 Fault& fault) {
  const ir::Function& f = module.functions[entry];
  for (size_t i = 0; i < 3; ++i) {
    const ir::ValueId v = f.entry.workgroup_size[i];
    size[i] = 1;
    if (v.is_none()) continue;
    if (v.is_constant()) {
      size[i] = static_cast<uint32_t>(module.types().constant(v.const_id()).bits);
    } else if (v.is_global() && v.index() < values.by_global.size() && !values.by_global[v.index()].empty()) {
      size[i] = static_cast<uint32_t>(values.by_global[v.index()][0]);
    }
  }
  const uint64_t area = uint64_t{size[0]} * size[1];
  if (area == 0 || size[2] == 0 || area > kMostLanes || area * size[2] > kMostLanes) {
    fault.message = "the workgroup is empty or larger than the executor can run";
    fault.loc = f.loc;
    return false;
  }
  return true;
}

class Run {
 public:
  Run(const ir::Module& module, ir::FunctionId entry, const ExecOptions& options, Resources& resources)
      : module_(module), entry_(entry), options_(options), resources_(resources) {}

  ExecResult run() {
    ExecResult result;
    result.ok = check_options() && prepare() && run_groups();
    result.fault = fault_;
    result.steps = total_steps_;
    for (CheckReport& r : checker_.reports) result.reports.push_back(std::move(r));
    result.trace = std::move(trace_);
    return result;
  }

 private:
  bool fail(std::string message) {
    fault_.message = std::move(message);
    return false;
  }

  bool check_options() {
    const uint32_t n = options_.subgroup_size;
    if (n == 0 || n > 128 || (n & (n - 1)) != 0) return fail("the subgroup size must be a power of two up to 128");
    if (!module_.functions.contains(entry_)) return fail("no such entry point");
    const ir::Stage stage = module_.functions[entry_].entry.stage;
    if (stage != Stage::compute) return fail("the executor runs compute entry points only so far");
    for (const Image& image : resources_.images) {
      if (image.words.size() != image.word_count() || image.word_count() == 0)
        return fail("an image's texels do not fit its size");
    }
    return true;
  }

  bool prepare() {
    ModuleValues values;
    if (!module_values(module_, options_, values, fault_) || !group_shape(module_, entry_, values, size_, fault_)) return false;
    const uint32_t group = size_[0] * size_[1] * size_[2];
    group_count_ = uint64_t{options_.groups[0]} * options_.groups[1];
    constexpr uint64_t kMostGroups = uint64_t{1} << 40;
    if (group_count_ > kMostGroups || group_count_ * options_.groups[2] > kMostGroups)
      return fail("too many workgroups: at most 2^40 in all");
    group_count_ *= options_.groups[2];
    const uint64_t together = std::min<uint64_t>(std::max(1u, kWantedLanes / group), std::max<uint64_t>(1, group_count_));
    m_.module = &module_;
    m_.program = &program_;
    m_.options = &options_;
    m_.resources = &resources_;
    m_.group_size = group;
    m_.batch_groups = static_cast<uint32_t>(together);
    m_.lanes = group * m_.batch_groups;
    m_.stride = row_stride(m_.lanes);
    m_.batch_limit = options_.max_steps;
    m_.random = options_.seed;
    m_.reverse_ifs = options_.order == LaneOrder::reverse;
    Decoder decoder(module_, options_, m_.stride, values, resources_, program_, bound_);
    if (!decoder.decode_entry(entry_)) {
      fault_ = decoder.fault();
      return false;
    }
    std::sort(program_.traces.begin(), program_.traces.end(),
              [](const TraceValue& a, const TraceValue& b) { return a.inst < b.inst; });
    m_.objects = std::move(bound_.objects);
    m_.object_slots = std::move(bound_.slots);
    return allocate();
  }

  bool allocate() {
    const uint64_t stride = m_.stride;
    const uint64_t words =
        (program_.units + program_.lane_words + program_.masks) * stride + program_.group_words * m_.batch_groups;
    if (words * sizeof(uint32_t) > options_.max_memory)
      return fail("the program needs more memory than the executor's limit allows");
    m_.regs = regs_.allocate(program_.units * stride);
    m_.lane_mem = lane_.allocate(program_.lane_words * stride);
    m_.group_mem = group_.allocate(program_.group_words * m_.batch_groups);
    uint32_t* rows = masks_.allocate(program_.masks * stride);
    m_.masks.resize(program_.masks);
    for (uint32_t i = 0; i < program_.masks; ++i) m_.masks[i].lanes = rows + i * stride;
    m_.group_base.resize(m_.lanes);
    for (uint32_t i = 0; i < m_.lanes; ++i) m_.group_base[i] = static_cast<uint32_t>(i / m_.group_size * program_.group_words);
    if (options_.check != 0) {
      checker_.flags = options_.check;
      m_.checker = &checker_;
    }
    fill_constants(m_);
    return true;
  }

  /// Position in the sequence of groups to the group's number, by the order asked for.
  [[nodiscard]] uint64_t group_at(uint64_t position) const {
    if (options_.order == LaneOrder::reverse) return group_count_ - 1 - position;
    if (options_.order == LaneOrder::shuffle) return (position * step_ + shift_) % group_count_;
    return position;
  }

  void set_orders() {
    if (options_.order == LaneOrder::forward) return;
    m_.order.resize(m_.lanes);
    for (uint32_t i = 0; i < m_.lanes; ++i) m_.order[i] = m_.lanes - 1 - i;
    if (options_.order != LaneOrder::shuffle || group_count_ == 0) return;
    for (uint32_t i = m_.lanes; i > 1; --i) std::swap(m_.order[i - 1], m_.order[m_.next_random() % i]);
    // A step without a common divisor with the count visits each group once.
    shift_ = m_.next_random() % group_count_;
    step_ = m_.next_random() % group_count_ | 1;
    if (step_ >= uint64_t{1} << 20) step_ = (step_ & 0xfffff) | 1;
    while (gcd(step_, group_count_) != 1) ++step_;
    m_.reverse_ifs = m_.next_random() % 2 != 0;
  }
  static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b != 0) {
      const uint64_t r = a % b;
      a = b;
      b = r;
    }
    return a;
  }

  bool run_groups() {
    set_orders();
    std::vector<uint32_t> on(m_.stride, 0);
    Mask all;
    all.lanes = on.data();
    for (uint64_t first = 0; first < group_count_; first += m_.batch_groups) {
      m_.live_groups = static_cast<uint32_t>(std::min<uint64_t>(m_.batch_groups, group_count_ - first));
      m_.first_group = first;
      start_batch();
      all.lo = 0;
      all.hi = all.count = m_.live_groups * m_.group_size;
      std::fill(on.begin(), on.end(), 0u);
      std::fill_n(on.begin(), all.count, ~0u);
      run_function(m_, entry_.value, all);
      total_steps_ += m_.steps;
      if (m_.faulted) {
        fault_ = m_.fault;
        return false;
      }
    }
    return true;
  }

  void start_batch() {
    m_.steps = 0;
    m_.loop_inst = {};
    m_.helper.clear();
    std::fill_n(m_.group_mem, program_.group_words * m_.batch_groups, 0u);
    std::fill_n(m_.lane_mem, program_.lane_words * m_.stride, 0u);
    for (const LaneInit& init : program_.lane_inits) {
      std::memcpy(m_.lane_mem + size_t{init.lane_word} * m_.stride, m_.regs + init.row,
                  size_t{init.units} * m_.stride * sizeof(uint32_t));
    }
    for (const BuiltinFill& fill : program_.builtins) {
      for (uint32_t i = 0; i < m_.live_groups * m_.group_size; ++i) fill_builtin(fill, i);
    }
    if (m_.checker != nullptr) {
      checker_.start_batch(m_);
      for (const BuiltinFill& fill : program_.builtins) checker_.mark_written(m_, fill.lane_word, 4);
    }
    m_.trace_lane = -1;
    if (options_.trace_lane >= 0) start_trace();
  }

  void start_trace() {
    const uint64_t group = static_cast<uint64_t>(options_.trace_lane) / m_.group_size;
    for (uint32_t g = 0; g < m_.live_groups; ++g) {
      if (group_at(m_.first_group + g) != group) continue;
      m_.trace_lane = static_cast<int32_t>(g * m_.group_size + static_cast<uint64_t>(options_.trace_lane) % m_.group_size);
      m_.trace = &trace_;
    }
  }

  void fill_builtin(const BuiltinFill& fill, uint32_t lane) {
    const uint32_t local = lane % m_.group_size;
    const uint64_t number = group_at(m_.first_group + lane / m_.group_size);
    const auto& groups = options_.groups;
    const std::array<uint32_t, 3> group{static_cast<uint32_t>(number % groups[0]),
                                        static_cast<uint32_t>(number / groups[0] % groups[1]),
                                        static_cast<uint32_t>(number / groups[0] / groups[1])};
    const std::array<uint32_t, 3> at{local % size_[0], local / size_[0] % size_[1], local / size_[0] / size_[1]};
    const uint32_t width = options_.subgroup_size;
    const uint32_t in_subgroup = local % width;
    const auto put = [&](uint32_t component, uint32_t value) {
      m_.lane_mem[(size_t{fill.lane_word} + component) * m_.stride + lane] = value;
    };
    const auto put3 = [&](const std::array<uint32_t, 3>& v) {
      for (uint32_t i = 0; i < 3; ++i) put(i, v[i]);
    };
    const auto put_mask = [&](auto holds) {
      for (uint32_t w = 0; w < 4; ++w) {
        uint32_t bits = 0;
        for (uint32_t b = 0; b < 32; ++b) bits |= 32 * w + b < width && holds(32 * w + b) ? 1u << b : 0u;
        put(w, bits);
      }
    };
    switch (fill.builtin) {
      case BuiltinVar::num_workgroups: put3(groups); break;
      case BuiltinVar::workgroup_size: put3(size_); break;
      case BuiltinVar::workgroup_id: put3(group); break;
      case BuiltinVar::local_invocation_id: put3(at); break;
      case BuiltinVar::global_invocation_id:
        for (uint32_t i = 0; i < 3; ++i) put(i, group[i] * size_[i] + at[i]);
        break;
      case BuiltinVar::local_invocation_index: put(0, local); break;
      case BuiltinVar::subgroup_size: put(0, width); break;
      case BuiltinVar::num_subgroups: put(0, (m_.group_size + width - 1) / width); break;
      case BuiltinVar::subgroup_id: put(0, local / width); break;
      case BuiltinVar::subgroup_invocation_id: put(0, in_subgroup); break;
      case BuiltinVar::subgroup_eq_mask: put_mask([&](uint32_t b) { return b == in_subgroup; }); break;
      case BuiltinVar::subgroup_ge_mask: put_mask([&](uint32_t b) { return b >= in_subgroup; }); break;
      case BuiltinVar::subgroup_gt_mask: put_mask([&](uint32_t b) { return b > in_subgroup; }); break;
      case BuiltinVar::subgroup_le_mask: put_mask([&](uint32_t b) { return b <= in_subgroup; }); break;
      case BuiltinVar::subgroup_lt_mask: put_mask([&](uint32_t b) { return b < in_subgroup; }); break;
      default: break;  // device_index, view_index, draw_index: 0
    }
  }

  const ir::Module& module_;
  ir::FunctionId entry_;
  const ExecOptions& options_;
  Resources& resources_;
  Program program_;
  Bound bound_;
  Machine m_;
  Memory regs_, lane_, group_, masks_;
  Checker checker_;
  std::array<uint32_t, 3> size_{1, 1, 1};
  uint64_t group_count_ = 1, step_ = 1, shift_ = 0, total_steps_ = 0;
  std::vector<TraceLine> trace_;
  Fault fault_;
};

}  // namespace

ExecResult run(const ir::Module& module, ir::FunctionId entry, const ExecOptions& options, Resources& resources) {
  return Run(module, entry, options, resources).run();
}

bool workgroup_size(const ir::Module& module, ir::FunctionId entry, const std::vector<SpecValue>& spec,
                    std::array<uint32_t, 3>& size, std::string& message) {
  ExecOptions options;
  options.spec = spec;
  ModuleValues values;
  Fault fault;
  if (!module_values(module, options, values, fault) || !group_shape(module, entry, values, size, fault)) {
    message = fault.message;
    return false;
  }
  return true;
}

uint64_t Image::word_count() const {
  uint64_t total = 0;
  for (uint32_t mip = 0; mip < mips && mip < 32; ++mip) {
    total += uint64_t{mip_width(mip)} * mip_height(mip) * mip_depth(mip);
  }
  return total * layers * samples * words_per_texel();
}

uint64_t Image::word_index(uint32_t mip, uint32_t layer, uint32_t z, uint32_t y, uint32_t x, uint32_t sample) const {
  uint64_t texel = 0;
  for (uint32_t i = 0; i < mip; ++i) texel += uint64_t{mip_width(i)} * mip_height(i) * mip_depth(i) * layers;
  texel += ((uint64_t{layer} * mip_depth(mip) + z) * mip_height(mip) + y) * mip_width(mip) + x;
  return (texel * samples + sample) * words_per_texel();
}

}  // namespace carry::exec
