#include "exec/control.h"

#include <algorithm>

#include "exec/values.h"

namespace carry::exec {

namespace {

void trace_code(Machine& m, ir::InstId inst) {
  const uint32_t lane = static_cast<uint32_t>(m.trace_lane);
  const std::vector<TraceValue>& all = m.program->traces;
  const auto found =
      std::lower_bound(all.begin(), all.end(), inst, [](const TraceValue& v, ir::InstId id) { return v.inst < id; });
  if (found == all.end() || found->inst != inst || m.trace->size() >= m.options->max_trace) return;
  TraceLine line;
  line.loc = m.module->insts[inst].loc;
  line.name = found->name;
  const bool wide = is_wide(found->kind);
  for (uint32_t c = 0; c < found->count; ++c) {
    if (c != 0) line.value += ", ";
    line.value += format_scalar(found->kind, read_row(m, component_row(m, found->row, wide, c), wide, lane));
  }
  if (found->count > 1) line.value = "(" + line.value + ")";
  m.trace->push_back(std::move(line));
}

void run_traced(Machine& m, const RegionCode& region) {
  for (size_t i = 0; i < region.code.size() && m.live; ++i) {
    const Code& code = region.code[i];
    const bool on = m.active->lanes[m.trace_lane] != 0;
    code.fn(m, code);
    const bool last = i + 1 == region.code.size() || region.code[i + 1].inst != code.inst;
    if (on && last && !code.inst.is_none()) trace_code(m, code.inst);
  }
}

/// Regions within regions, those of callees included: each takes a few frames of the host's stack.
constexpr uint32_t kDeepestRegions = 4000;

void run_region(Machine& m, uint32_t index) {
  const RegionCode& region = m.program->regions[index];
  m.set_active(m.masks[region.mask]);
  m.steps += region.cost;
  if (m.steps > m.batch_limit) {
    const std::string limit =
        " (" + std::to_string(m.options->max_steps) + " instructions of lanes that run together; --max-steps)";
    m.set_fault(m.loop_inst, m.loop_inst.is_none() ? "step limit reached" + limit
                                                   : "step limit reached in this loop" + limit + "; is it endless?");
    return;
  }
  if (m.depth == kDeepestRegions) {
    m.set_fault({}, "calls and blocks are nested too deeply for the executor");
    return;
  }
  ++m.depth;
  if (m.trace_lane >= 0) {
    run_traced(m, region);
  } else {
    for (const Code& code : region.code) {
      if (!m.live) break;
      code.fn(m, code);
    }
  }
  --m.depth;
}

void copy_mask(const Machine& m, Mask& to, const Mask& from) {
  std::memcpy(to.lanes, from.lanes, m.stride * sizeof(uint32_t));
  to.count = from.count;
  to.lo = from.lo;
  to.hi = from.hi;
}

/// to |= from
void add_mask(const Machine& m, Mask& to, const Mask& from) {
  if (to.count == 0) {
    copy_mask(m, to, from);
    return;
  }
  for (uint32_t i = from.lo; i < from.hi; ++i) to.lanes[i] |= from.lanes[i];
  if (from.lo < to.lo) to.lo = from.lo;
  if (from.hi > to.hi) to.hi = from.hi;
  to.count += from.count;  // a lane reaches one place only once
}

/// to = from where condition is `wanted`.
void split_mask(const Machine& m, Mask& to, const Mask& from, const uint32_t* condition, uint32_t wanted) {
  std::memset(to.lanes, 0, m.stride * sizeof(uint32_t));
  uint32_t count = 0, lo = m.lanes, hi = 0;
  for (uint32_t i = from.lo; i < from.hi; ++i) {
    const uint32_t on = condition[i] == wanted ? from.lanes[i] : 0;
    to.lanes[i] = on;
    if (on != 0) {
      ++count;
      if (lo == m.lanes) lo = i;
      hi = i + 1;
    }
  }
  to.count = count;
  to.lo = count != 0 ? lo : 0;
  to.hi = hi;
}

}  // namespace

void Machine::set_fault(ir::InstId inst, std::string message) {
  live = false;
  if (faulted) return;
  faulted = true;
  fault.message = std::move(message);
  if (!inst.is_none()) fault.loc = module->insts[inst].loc;
}

void clear_mask(const Machine& m, Mask& mask) {
  std::memset(mask.lanes, 0, m.stride * sizeof(uint32_t));
  mask.count = mask.lo = mask.hi = 0;
}

void refresh(const Machine& m, Mask& mask) {
  mask.count = 0;
  mask.lo = mask.hi = 0;
  for (uint32_t i = 0; i < m.lanes; ++i) {
    if (mask.lanes[i] == 0) continue;
    if (mask.count++ == 0) mask.lo = i;
    mask.hi = i + 1;
  }
}

void run_copies(Machine& m, const Copies& copies, const Mask& mask) {
  const bool whole = mask.count == m.lanes;
  for (const CopyPart& part : copies.parts) {
    uint32_t* dst = m.regs + part.dst;
    const uint32_t* src = m.regs + part.src;
    // `units` is a run of 32-bit rows, or of 64-bit rows with the top bit set (two units each).
    const bool wide = (part.units >> 31) != 0;
    const uint32_t units = part.units & 0x7fffffffu;
    if (whole) {
      std::memcpy(dst, src, size_t{units} * m.stride * sizeof(uint32_t));
    } else if (wide) {
      for (uint32_t u = 0; u < units; u += 2, dst += 2 * m.stride, src += 2 * m.stride) {
        RowU64* d = reinterpret_cast<RowU64*>(dst);
        const RowU64* s = reinterpret_cast<const RowU64*>(src);
        for (uint32_t i = mask.lo; i < mask.hi; ++i) {
          if (mask.lanes[i] != 0) d[i] = s[i];
        }
      }
    } else {
      for (uint32_t u = 0; u < units; ++u, dst += m.stride, src += m.stride) {
        for (uint32_t i = mask.lo; i < mask.hi; ++i) dst[i] = (src[i] & mask.lanes[i]) | (dst[i] & ~mask.lanes[i]);
      }
    }
  }
}

void op_copies(Machine& m, const Code& code) {
  for (const CopyPart& part : m.program->copies[code.aux].parts) {
    std::memcpy(m.regs + part.dst, m.regs + part.src, size_t{part.units & 0x7fffffffu} * m.stride * sizeof(uint32_t));
  }
}

void op_jump(Machine& m, const Code& code) {
  run_copies(m, m.program->copies[code.aux], *m.active);
  add_mask(m, m.masks[code.dst], *m.active);
  m.live = false;
}

void op_terminate(Machine& m, const Code&) { m.live = false; }

void op_unreachable(Machine& m, const Code& code) { m.set_fault(code.inst, "a place that must not be reached was reached"); }

void op_fault(Machine& m, const Code& code) { m.set_fault(code.inst, m.program->messages[code.aux]); }

void op_if(Machine& m, const Code& code) {
  const IfCode& branch = m.program->ifs[code.aux];
  Mask& outer = *m.active;
  Mask& merge = m.masks[branch.merge];
  merge.count = 0;
  Mask& yes = m.masks[m.program->regions[branch.regions[0]].mask];
  Mask& no = m.masks[m.program->regions[branch.regions[1]].mask];
  const uint32_t* condition = m.regs + branch.condition;
  split_mask(m, yes, outer, condition, 1);
  split_mask(m, no, outer, condition, 0);
  const uint32_t first = m.reverse_ifs ? 1 : 0;
  for (uint32_t k = 0; k < 2; ++k) {
    const uint32_t region = branch.regions[first ^ k];
    if (m.masks[m.program->regions[region].mask].count == 0) continue;
    run_region(m, region);
    if (m.faulted) return;
  }
  if (merge.count == 0) clear_mask(m, merge);
  copy_mask(m, outer, merge);
  m.set_active(outer);
}

void op_switch(Machine& m, const Code& code) {
  const SwitchCode& s = m.program->switches[code.aux];
  Mask& outer = *m.active;
  Mask& merge = m.masks[s.merge];
  merge.count = 0;
  uint32_t* choice = m.regs + s.choice_row;
  for (uint32_t i = outer.lo; i < outer.hi; ++i) choice[i] = s.default_region;
  for (const auto& [label, target] : s.labels) {
    if (s.wide) {
      const RowU64* x = m.at<RowU64>(s.selector);
      for (uint32_t i = outer.lo; i < outer.hi; ++i) choice[i] = x[i] == label ? target : choice[i];
    } else {
      const uint32_t* x = m.regs + s.selector;
      const uint32_t bits = static_cast<uint32_t>(label);
      for (uint32_t i = outer.lo; i < outer.hi; ++i) choice[i] = x[i] == bits ? target : choice[i];
    }
  }
  for (uint32_t k = 0; k < s.regions.size(); ++k) {
    split_mask(m, m.masks[m.program->regions[s.regions[k]].mask], outer, choice, k);
  }
  // In source order: lanes that fall through join the mask of the next region before it runs.
  for (uint32_t region : s.regions) {
    if (m.masks[m.program->regions[region].mask].count == 0) continue;
    run_region(m, region);
    if (m.faulted) return;
  }
  if (merge.count == 0) clear_mask(m, merge);
  copy_mask(m, outer, merge);
  m.set_active(outer);
}

void op_loop(Machine& m, const Code& code) {
  const LoopCode& loop = m.program->loops[code.aux];
  Mask& outer = *m.active;
  Mask& body = m.masks[m.program->regions[loop.body].mask];
  Mask& continuing = m.masks[m.program->regions[loop.continuing].mask];
  Mask& exit = m.masks[loop.exit];
  Mask& go_on = m.masks[loop.go_on];
  Mask& again = m.masks[loop.again];
  exit.count = 0;
  run_copies(m, m.program->copies[loop.init], outer);
  copy_mask(m, body, outer);
  const ir::InstId outer_loop = m.loop_inst;
  m.loop_inst = code.inst;
  while (body.count != 0) {
    go_on.count = 0;
    again.count = 0;
    run_region(m, loop.body);
    if (m.faulted) return;
    if (go_on.count == 0) break;
    copy_mask(m, continuing, go_on);
    run_region(m, loop.continuing);
    if (m.faulted) return;
    if (again.count == 0) break;
    copy_mask(m, body, again);
  }
  m.loop_inst = outer_loop;
  if (exit.count == 0) clear_mask(m, exit);
  copy_mask(m, outer, exit);
  m.set_active(outer);
}

void op_next_if(Machine& m, const Code& code) {
  const NextIfCode& next = m.program->next_ifs[code.aux];
  Mask& here = *m.active;
  const uint32_t* condition = m.regs + next.condition;
  // The masks of the target are free here: `again` is empty until now; `exit` may hold lanes that left earlier.
  Mask& again = m.masks[next.again];
  split_mask(m, again, here, condition, 1);
  for (uint32_t i = here.lo; i < here.hi; ++i) here.lanes[i] &= ~again.lanes[i];
  refresh(m, here);
  if (here.count != 0) {
    run_copies(m, m.program->copies[next.exit_copies], here);
    add_mask(m, m.masks[next.exit], here);
  }
  if (again.count != 0) run_copies(m, m.program->copies[next.again_copies], again);
  m.live = false;
}

void run_function(Machine& m, uint32_t function, const Mask& entry_mask) {
  const FunctionCode& f = m.program->functions[function];
  copy_mask(m, m.masks[m.program->regions[f.body].mask], entry_mask);
  m.masks[f.returned].count = 0;
  const uint32_t caller = m.function;
  m.function = function;
  run_region(m, f.body);
  m.function = caller;
  if (m.faulted && m.fault.function.empty()) m.fault.function = f.name;
}

void op_call(Machine& m, const Code& code) {
  const CallCode& call = m.program->calls[code.aux];
  Mask& outer = *m.active;
  run_copies(m, m.program->copies[call.args], outer);
  const ir::InstId outer_loop = m.loop_inst;
  run_function(m, call.function, outer);
  if (m.faulted) return;
  m.loop_inst = outer_loop;
  Mask& returned = m.masks[m.program->functions[call.function].returned];
  if (returned.count == 0) clear_mask(m, returned);
  run_copies(m, m.program->copies[call.result], returned);
  copy_mask(m, outer, returned);
  m.set_active(outer);
}

}  // namespace carry::exec
