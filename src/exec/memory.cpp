#include "exec/memory.h"

#include "base/text_sink.h"
#include "exec/check.h"
#include "exec/image.h"

namespace carry::exec {

namespace {

/// Where a lane's access starts; `ok` is false out of bounds.
struct Place {
  uint32_t offset = 0;
  uint32_t object = 0;
  bool ok = true;
};

inline Place place_of(const Machine& m, const Address& a, uint32_t lane) {
  Place p;
  uint64_t offset = a.offset;
  if (a.offset_row != kNoRow) {
    const uint32_t more = m.regs[a.offset_row + lane];
    p.ok = more != kBadOffset;
    offset += more;
  }
  if (offset >= kBadOffset) p.ok = false;
  p.offset = static_cast<uint32_t>(offset);
  if (a.mode == MemMode::bytes) p.object = object_of(m, a, lane);
  return p;
}

void out_of_bounds(Machine& m, const Code& code, bool write) {
  if (m.checker != nullptr && m.checker->on(kCheckBounds)) {
    m.checker->report(m, kCheckBounds, code.inst, write ? "write out of bounds" : "read out of bounds");
  }
}

inline uint64_t read_bytes(const uint8_t* p, const Leaf& leaf) {
  uint64_t bits = 0;
  switch (leaf.bytes) {
    case 1: return *p;
    case 2: {
      uint16_t v;
      std::memcpy(&v, p, 2);
      return v;
    }
    case 4: {
      uint32_t v;
      std::memcpy(&v, p, 4);
      return leaf.kind == ScalarKind::bool_ ? (v != 0 ? 1u : 0u) : v;
    }
    default: std::memcpy(&bits, p, 8); return bits;
  }
}

/// A scalar cell that a lane can reach: bytes in a buffer, a word (pair) in lane or group memory, a texel.
struct Cell {
  uint8_t* bytes = nullptr;
  uint32_t size = 4;
};

Cell lane_cell(const Machine& m, uint32_t word, bool wide, uint32_t lane) {
  if (uint64_t{word} + (wide ? 2 : 1) > m.program->lane_words) return {};
  uint32_t* rows = m.lane_mem + size_t{word} * m.stride;
  return wide ? Cell{reinterpret_cast<uint8_t*>(reinterpret_cast<uint64_t*>(rows) + lane), 8}
              : Cell{reinterpret_cast<uint8_t*>(rows + lane), 4};
}

Cell group_cell(const Machine& m, uint32_t word, bool wide, uint32_t lane) {
  if (uint64_t{word} + (wide ? 2 : 1) > m.program->group_words) return {};
  return {reinterpret_cast<uint8_t*>(m.group_mem + m.group_base[lane] + word), wide ? 8u : 4u};
}

Cell object_cell(const Machine& m, const Place& p, const Leaf& leaf) {
  const Object& o = m.objects[p.object];
  if (uint64_t{p.offset} + leaf.mem + leaf.bytes > o.size) return {};
  return {o.data + p.offset + leaf.mem, leaf.bytes};
}

/// Tells the checker of an access; the place is in bounds.
void touched(Machine& m, const Code& code, const MemAccess& access, const Place& p, const Leaf& leaf, uint32_t lane, bool write,
             bool atomic) {
  Checker& c = *m.checker;
  const uint32_t words = leaf.wide ? 2 : 1;
  if (access.address.mode == MemMode::bytes) {
    c.touch_object(m, code.inst, p.object, uint64_t{p.offset} + leaf.mem, leaf.bytes, lane, write, atomic);
    return;
  }
  std::vector<uint8_t>* written = nullptr;
  uint64_t first = 0;
  uint64_t step = 1;
  if (access.address.mode == MemMode::group) {
    const uint32_t word = m.group_base[lane] + p.offset + leaf.mem;
    c.touch_group(m, code.inst, word, words, lane, write, atomic);
    written = &c.group_written;
    first = word;
  } else if (access.address.mode == MemMode::lane) {
    written = &c.lane_written;
    first = uint64_t{p.offset + leaf.mem} * m.stride + lane;
    step = m.stride;
  }
  if (written == nullptr || !c.on(kCheckUninitialised)) return;
  for (uint32_t w = 0; w < words; ++w) {
    if (first + w * step >= written->size()) return;
    uint8_t& flag = (*written)[first + w * step];
    if (write) {
      flag = 1;
    } else if (flag == 0 && access.leaves->size() <= 4) {
      // Whole aggregates may be copied with gaps; their parts are checked where they are read.
      c.report(m, kCheckUninitialised, code.inst, "read of a value that was never written");
      return;
    }
  }
}

Cell cell_of(Machine& m, const MemAccess& access, const Place& p, const Leaf& leaf, uint32_t lane) {
  if (!p.ok) return {};
  switch (access.address.mode) {
    case MemMode::lane: return lane_cell(m, p.offset + leaf.mem, leaf.wide, lane);
    case MemMode::group: return group_cell(m, p.offset + leaf.mem, leaf.wide, lane);
    case MemMode::bytes: return object_cell(m, p, leaf);
    case MemMode::texel: {
      uint32_t* word = texel_word(m, access.address, lane);
      return {reinterpret_cast<uint8_t*>(word), leaf.wide ? 8u : 4u};
    }
    default: return {};
  }
}

bool is_helper(const Machine& m, uint32_t lane) { return !m.helper.empty() && m.helper[lane] != 0; }

}  // namespace

void op_load(Machine& m, const Code& code) {
  const MemAccess& access = m.program->accesses[code.aux];
  const bool bytes = access.address.mode == MemMode::bytes;
  const uint32_t* on = m.active->lanes;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    if (on[i] == 0) continue;
    const Place p = place_of(m, access.address, i);
    for (const Leaf& leaf : *access.leaves) {
      const Cell cell = cell_of(m, access, p, leaf, i);
      uint64_t bits = 0;
      if (cell.bytes == nullptr) {
        out_of_bounds(m, code, false);
      } else {
        if (bytes) {
          bits = read_bytes(cell.bytes, leaf);
        } else {
          std::memcpy(&bits, cell.bytes, cell.size);
        }
        if (m.checker != nullptr) touched(m, code, access, p, leaf, i, false, false);
      }
      write_row(m, code.dst + leaf.reg, leaf.wide, i, bits);
    }
  }
}

void op_store(Machine& m, const Code& code) {
  const MemAccess& access = m.program->accesses[code.aux];
  for_active(m, [&](uint32_t i) {
    if (is_helper(m, i) && access.address.mode != MemMode::lane) return;
    const Place p = place_of(m, access.address, i);
    for (const Leaf& leaf : *access.leaves) {
      const Cell cell = cell_of(m, access, p, leaf, i);
      if (cell.bytes == nullptr) {
        out_of_bounds(m, code, true);
        continue;
      }
      const uint64_t bits = read_row(m, code.a + leaf.reg, leaf.wide, i);
      std::memcpy(cell.bytes, &bits, cell.size);
      if (m.checker != nullptr) touched(m, code, access, p, leaf, i, true, false);
    }
  });
}

void op_load_lane_rows(Machine& m, const Code& code) {
  std::memcpy(m.regs + code.dst, m.lane_mem + size_t{code.a} * m.stride, size_t{code.n} * m.stride * sizeof(uint32_t));
}

void op_store_lane_rows(Machine& m, const Code& code) {
  const Mask& mask = *m.active;
  uint32_t* d = m.lane_mem + size_t{code.b} * m.stride;
  const uint32_t* s = m.regs + code.a;
  if (mask.count == m.lanes) {
    std::memcpy(d, s, size_t{code.n} * m.stride * sizeof(uint32_t));
    return;
  }
  // code.c: units of each element, 1 or 2 (64-bit rows).
  for (uint32_t u = 0; u < code.n; u += code.c, d += size_t{code.c} * m.stride, s += size_t{code.c} * m.stride) {
    if (code.c == 2) {
      uint64_t* dw = reinterpret_cast<uint64_t*>(d);
      const uint64_t* sw = reinterpret_cast<const uint64_t*>(s);
      for (uint32_t i = mask.lo; i < mask.hi; ++i) {
        if (mask.lanes[i] != 0) dw[i] = sw[i];
      }
    } else {
      for (uint32_t i = mask.lo; i < mask.hi; ++i) d[i] = (s[i] & mask.lanes[i]) | (d[i] & ~mask.lanes[i]);
    }
  }
}

void op_load_word(Machine& m, const Code& code) {
  const MemAccess& access = m.program->accesses[code.aux];
  const Object& o = m.objects[access.address.object];
  uint32_t* d = m.regs + code.dst;
  if (access.address.offset_row == kNoRow) {
    uint32_t bits = 0;
    if (uint64_t{access.address.offset} + 4 <= o.size) std::memcpy(&bits, o.data + access.address.offset, 4);
    for (uint32_t i = m.lo; i < m.hi; ++i) d[i] = bits;
    return;
  }
  const uint32_t* row = m.regs + access.address.offset_row;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    const uint64_t offset = uint64_t{access.address.offset} + row[i];
    uint32_t bits = 0;
    if (row[i] != kBadOffset && offset + 4 <= o.size) std::memcpy(&bits, o.data + offset, 4);
    d[i] = bits;
  }
}

void op_store_word(Machine& m, const Code& code) {
  const MemAccess& access = m.program->accesses[code.aux];
  const Object& o = m.objects[access.address.object];
  const uint32_t* s = m.regs + code.a;
  for_active(m, [&](uint32_t i) {
    if (is_helper(m, i)) return;
    uint64_t offset = access.address.offset;
    if (access.address.offset_row != kNoRow) {
      const uint32_t more = m.regs[access.address.offset_row + i];
      if (more == kBadOffset) return;
      offset += more;
    }
    if (offset + 4 <= o.size) std::memcpy(o.data + offset, s + i, 4);
  });
}

void op_var(Machine& m, const Code& code) {
  const MemAccess& access = m.program->accesses[code.aux];
  const bool check = m.checker != nullptr && m.checker->on(kCheckUninitialised);
  const Mask& mask = *m.active;
  for (const Leaf& leaf : *access.leaves) {
    for (uint32_t i = mask.lo; i < mask.hi; ++i) {
      if (mask.lanes[i] == 0) continue;
      const uint64_t bits = code.a == kNoRow ? 0 : read_row(m, code.a + leaf.reg, leaf.wide, i);
      uint32_t* rows = m.lane_mem + size_t{code.b + leaf.mem} * m.stride;
      if (leaf.wide) {
        reinterpret_cast<uint64_t*>(rows)[i] = bits;
      } else {
        rows[i] = static_cast<uint32_t>(bits);
      }
      if (!check) continue;
      uint8_t* written = m.checker->lane_written.data() + size_t{code.b + leaf.mem} * m.stride + i;
      written[0] = code.a != kNoRow;
      if (leaf.wide) written[m.stride] = code.a != kNoRow;
    }
  }
}

void op_at(Machine& m, const Code& code) {
  const AtPlan& plan = m.program->at_plans[code.aux];
  const Address& base = plan.base;
  uint32_t* out = m.regs + plan.offset_out;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    uint64_t offset = base.offset_row == kNoRow ? 0 : m.regs[base.offset_row + i];
    bool ok = offset != kBadOffset;
    uint32_t object = base.mode == MemMode::bytes ? object_of(m, base, i) : base.object;
    for (const Step& step : plan.steps) {
      const uint32_t raw = m.regs[step.index_row + i];
      if (step.descriptor) {
        const bool fits = raw < step.count;
        const uint32_t slot = base.object + (fits ? raw : 0);
        object = fits && slot < m.object_slots.size() ? m.object_slots[slot] : 0;
        continue;
      }
      uint64_t count = step.count;
      if (step.runtime) {
        const uint64_t start = offset + step.before;
        const uint64_t size = m.objects[object].size;
        count = start < size && step.stride != 0 ? (size - start) / step.stride : 0;
      }
      if (raw >= count) ok = false;  // a negative index is a large one
      offset += uint64_t{raw} * step.stride;
    }
    out[i] = ok && offset < kBadOffset ? static_cast<uint32_t>(offset) : kBadOffset;
    if (plan.object_out != kNoRow) m.regs[plan.object_out + i] = object;
  }
}

void op_at_handle(Machine& m, const Code& code) {
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    const uint32_t index = m.regs[code.a + i];
    const bool fits = index < code.n;
    const size_t slot = size_t{code.b} + (fits ? index : 0);
    const uint32_t id = fits && slot < m.object_slots.size() ? m.object_slots[slot] : 0;
    if (code.aux == 0) {
      m.regs[code.dst + i] = id;
      continue;
    }
    const size_t sampler = slot + code.n;  // the samplers' slots follow the images'
    const uint64_t sampler_id = fits && sampler < m.object_slots.size() ? m.object_slots[sampler] : 0;
    m.at<uint64_t>(code.dst)[i] = id | sampler_id << 32;
  }
}

void op_at_byte(Machine& m, const Code& code) {
  const AtPlan& plan = m.program->at_plans[code.aux];
  uint32_t* out = m.regs + plan.offset_out;
  const uint32_t index = plan.steps[0].index_row;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    const uint64_t before = plan.base.offset_row == kNoRow ? 0 : m.regs[plan.base.offset_row + i];
    const uint64_t offset = before + m.regs[index + i];
    out[i] = before != kBadOffset && offset < kBadOffset ? static_cast<uint32_t>(offset) : kBadOffset;
  }
  if (plan.steps.size() < 2 || m.checker == nullptr || !m.checker->on(kCheckBounds)) return;
  const Step& written = plan.steps[1];
  for_active(m, [&](uint32_t i) {
    const uint32_t address = m.regs[written.index_row + i];
    if (address % written.count != 0)
      m.checker->report(m, kCheckBounds, code.inst, "byte address is no multiple of " + std::to_string(written.count));
  });
}

void op_array_length(Machine& m, const Code& code) {
  const MemAccess& access = m.program->accesses[code.aux];
  uint32_t* d = m.regs + code.dst;
  const uint32_t* on = m.active->lanes;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    if (on[i] == 0) continue;
    const Place p = place_of(m, access.address, i);
    const uint64_t size = m.objects[p.object].size;
    const uint64_t count = p.ok && p.offset < size && code.a != 0 ? (size - p.offset) / code.a : 0;
    d[i] = static_cast<uint32_t>(count);
  }
}

void op_make_pointer(Machine& m, const Code& code) {
  const MemAccess& access = m.program->accesses[code.aux];
  uint64_t* d = m.at<uint64_t>(code.dst);
  const uint32_t* on = m.active->lanes;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    if (on[i] == 0) continue;
    const Place p = place_of(m, access.address, i);
    d[i] = uint64_t{p.object} << 32 | (p.ok ? p.offset : kBadOffset);
  }
}

void op_split_pointer(Machine& m, const Code& code) {
  const uint64_t* s = m.at<uint64_t>(code.a);
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    m.regs[code.dst + i] = static_cast<uint32_t>(s[i]);
    m.regs[code.b + i] = static_cast<uint32_t>(s[i] >> 32);
  }
}

void op_atomic(Machine& m, const Code& code) {
  const MemAccess& access = m.program->accesses[code.aux];
  const Leaf& leaf = access.leaves->front();
  const Op op = static_cast<Op>(code.n);
  const bool writes = op != Op::atomic_load;
  for_active(m, [&](uint32_t i) {
    const Place p = place_of(m, access.address, i);
    const Cell cell = cell_of(m, access, p, leaf, i);
    if (cell.bytes == nullptr || (is_helper(m, i) && writes)) {
      if (cell.bytes == nullptr) out_of_bounds(m, code, writes);
      if (code.dst != kNoRow) write_row(m, code.dst, leaf.wide, i, 0);
      // A weak exchange out of bounds says "exchanged", or loops around it would never end.
      if (code.c != kNoRow && op == Op::atomic_cas_weak) m.regs[code.c + i] = 1;
      return;
    }
    uint64_t old = 0;
    std::memcpy(&old, cell.bytes, cell.size);
    if (m.checker != nullptr) {
      if (op == Op::atomic_load)
        touched(m, code, access, p, leaf, i, false, true);
      else
        touched(m, code, access, p, leaf, i, true, true);
    }
    const uint64_t operand = op == Op::atomic_load ? 0 : read_row(m, code.a, leaf.wide, i);
    uint64_t now = old;
    if (op == Op::atomic_cas || op == Op::atomic_cas_weak) {
      bool same = old == operand;
      if (same && op == Op::atomic_cas_weak && m.options->spurious_cas_failures && m.next_random() % 4 == 0) same = false;
      if (same) now = read_row(m, code.b, leaf.wide, i);
      if (code.c != kNoRow) m.regs[code.c + i] = same ? 1 : 0;
    } else if (op != Op::atomic_load) {
      now = atomic_result(op, leaf.kind, old, operand);
    }
    if (writes) std::memcpy(cell.bytes, &now, cell.size);
    if (code.dst != kNoRow) write_row(m, code.dst, leaf.wide, i, old);
  });
}

void op_barrier(Machine& m, const Code& code) {
  const ir::BarrierInfo info = ir::BarrierInfo::unpack(code.aux);
  if (m.checker == nullptr || info.exec != ir::Scope::workgroup) return;
  Checker& c = *m.checker;
  if ((info.spaces & ir::kSpaceStorage) != 0) ++c.storage_epoch;
  if ((info.spaces & ir::kSpaceWorkgroup) != 0) ++c.group_epoch;
  if (!c.on(kCheckBarriers)) return;
  for (uint32_t g = 0; g < m.live_groups; ++g) {
    uint32_t here = 0;
    for (uint32_t i = g * m.group_size; i < (g + 1) * m.group_size; ++i) here += m.active->lanes[i] != 0 ? 1 : 0;
    if (here == 0 || here == m.group_size) continue;
    TextSink text;
    text << "barrier reached by " << here << " of " << m.group_size << " invocations of the group";
    c.report(m, kCheckBarriers, code.inst, text.take());
  }
}

void op_demote(Machine& m, const Code&) {
  m.helper.resize(m.lanes, 0);
  for_active(m, [&](uint32_t i) { m.helper[i] = 1; });
}

void op_is_helper(Machine& m, const Code& code) {
  for (uint32_t i = m.lo; i < m.hi; ++i) m.regs[code.dst + i] = is_helper(m, i) ? 1 : 0;
}

}  // namespace carry::exec
