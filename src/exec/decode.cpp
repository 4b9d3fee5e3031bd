#include "exec/decode.h"

#include "exec/control.h"

namespace carry::exec {

Decoder::Decoder(const ir::Module& module, const ExecOptions& options, uint32_t stride, const ModuleValues& values,
                 Resources& resources, Program& program, Bound& bound)
    : module_(module),
      options_(options),
      stride_(stride),
      values_(values),
      resources_(resources),
      program_(program),
      bound_(bound),
      types_(module.types()),
      layouts_(module.layouts()) {}

bool Decoder::fail(std::string message, ir::InstId inst) {
  if (failed_) return false;
  failed_ = true;
  fault_.message = std::move(message);
  if (!inst.is_none()) fault_.loc = module_.insts[inst].loc;
  if (function_ != nullptr) fault_.function = std::string(module_.names().text(function_->name));
  return false;
}

uint32_t Decoder::alloc(uint64_t unit_count) {
  const uint64_t first = program_.units;
  // Row offsets are 32-bit words; an even start keeps 64-bit rows aligned (rows are a multiple of 64 bytes anyway).
  if (unit_count > kMostLeaves * 2 || (first + unit_count) * stride_ >= kNoRow ||
      (first + unit_count) * stride_ * sizeof(uint32_t) > options_.max_memory) {
    fail("the program needs more registers than the executor's memory limit allows");
    return 0;
  }
  program_.units += unit_count;
  return static_cast<uint32_t>(first * stride_);
}

uint32_t Decoder::array_count(const Type& type) const {
  if (type.count_override == Id<TypeId>::kNone) return type.count;
  const ir::ValueId v(type.count_override);
  if (v.is_constant()) return static_cast<uint32_t>(types_.constant(v.const_id()).bits);
  if (!v.is_global() || v.index() >= values_.by_global.size() || values_.by_global[v.index()].empty()) return 0;
  return static_cast<uint32_t>(values_.by_global[v.index()][0]);
}

uint64_t Decoder::units(TypeId type) {
  constexpr uint64_t kUnknown = ~uint64_t{0};
  constexpr uint64_t kMost = uint64_t{1} << 40;
  if (type.is_none()) return 0;
  if (type.value >= unit_cache_.size()) unit_cache_.resize(types_.size() + size_t{16}, kUnknown);
  if (type.value < unit_cache_.size() && unit_cache_[type.value] != kUnknown) return unit_cache_[type.value];
  const Type t = types_[type];
  uint64_t n = 0;
  switch (t.kind) {
    case TypeKind::scalar:
    case TypeKind::atomic: n = is_wide(t.scalar) ? 2 : 1; break;
    case TypeKind::vector: n = uint64_t{t.rows} * (is_wide(t.scalar) ? 2u : 1u); break;
    case TypeKind::matrix: n = uint64_t{t.rows} * t.columns * (is_wide(t.scalar) ? 2u : 1u); break;
    case TypeKind::array: n = units(t.element) * array_count(t); break;
    case TypeKind::struct_:
      for (size_t i = 0; i < types_.struct_decl(type).members.size() && n < kMost; ++i) {
        n += units(types_.struct_decl(type).members[i].type);
      }
      break;
    case TypeKind::pointer:
    case TypeKind::combined: n = 2; break;
    case TypeKind::texture:
    case TypeKind::image:
    case TypeKind::sampler:
    case TypeKind::accel:
    case TypeKind::ray_query: n = 1; break;
    default: break;
  }
  if (n > kMost) n = kMost;
  if (type.value < unit_cache_.size()) unit_cache_[type.value] = n;
  return n;
}

bool Decoder::is_wide_type(TypeId type) const {
  const Type& t = types_[type];
  return t.kind == TypeKind::pointer || t.kind == TypeKind::combined || is_wide(t.scalar);
}

TypeId Decoder::type_of(ir::ValueId v) const {
  if (v.is_local() && function_ != nullptr) return function_->value_types[v.index()];
  if (v.is_constant()) return types_.constant(v.const_id()).type;
  return module_.globals[v.global_id()].type;
}

// ---- constants ----

void Decoder::flatten(ConstId id, std::vector<uint64_t>& out) {
  const Constant c = types_.constant(id);
  switch (c.kind) {
    case Constant::Kind::scalar: out.push_back(c.bits); return;
    case Constant::Kind::zero: for_leaves(c.type, 0, [&](uint32_t, ScalarKind, bool) { out.push_back(0); }); return;
    case Constant::Kind::composite:
      for (uint32_t i = 0; i < c.parts.count; ++i) flatten(types_.parts(id)[i], out);
      return;
  }
}

uint32_t Decoder::bits_row(TypeId type, const std::vector<uint64_t>& leaves) {
  const uint64_t n = units(type);
  if (n > kMostLeaves) {
    fail("a constant is too large for the executor");
    return 0;
  }
  const uint32_t row = alloc(n);
  if (failed_) return 0;
  size_t i = 0;
  for_leaves(type, 0, [&](uint32_t unit, ScalarKind, bool wide) {
    if (i < leaves.size()) program_.fills.push_back({row + unit * stride_, leaves[i++], wide});
  });
  return row;
}

uint32_t Decoder::constant_row(ConstId id) {
  if (id.value >= constant_rows_.size()) constant_rows_.resize(types_.constant_count() + size_t{64}, kNoRow);
  if (constant_rows_[id.value] != kNoRow) return constant_rows_[id.value];
  const TypeId type = types_.constant(id).type;
  if (units(type) > kMostLeaves) {
    fail("a constant is too large for the executor");
    return 0;
  }
  std::vector<uint64_t> leaves;
  flatten(id, leaves);
  const uint32_t row = bits_row(type, leaves);
  constant_rows_[id.value] = row;
  return row;
}

uint32_t Decoder::global_row(ir::GlobalId global) const { return module_rows_[global.value]; }

uint32_t Decoder::row_of(ir::ValueId v) {
  if (v.is_constant()) return constant_row(v.const_id());
  if (v.is_global()) {
    const ir::GlobalId g = v.global_id();
    if (!module_rows_.empty() && module_rows_[g.value] != kNoRow) return module_rows_[g.value];
    if (module_.globals[g].kind == ir::GlobalKind::variable) {
      Pointer p;
      return pointer_of(v, p, {}) ? materialise(p, {}) : 0;
    }
    const auto found = global_value_rows_.find(g.value);
    if (found != global_value_rows_.end()) return found->second;
    if (g.value >= values_.by_global.size()) {
      fail("a module-level value is used before it is known");
      return 0;
    }
    const uint32_t row = bits_row(module_.globals[g].type, values_.by_global[g.value]);
    global_value_rows_[g.value] = row;
    return row;
  }
  const Local& local = locals_[v.index()];
  if (local.row != kNoRow) return local.row;
  if (local.address != kNoRow) {
    const Pointer p = addresses_[local.address];
    return materialise(p, {});
  }
  fail("a value is used before it is defined");
  return 0;
}

uint32_t Decoder::define(ir::ValueId v) {
  const uint64_t n = units(type_of(v));
  if (n > kMostLeaves) {
    fail("a value is too large for the executor");
    return 0;
  }
  const uint32_t row = alloc(n);
  if (v.is_global()) {
    module_rows_[v.index()] = row;
  } else {
    locals_[v.index()].row = row;
  }
  return row;
}

// ---- code ----

Code& Decoder::emit(Handler fn, ir::InstId inst, uint64_t cost) {
  Code code;
  code.fn = fn;
  code.inst = inst;
  region_->code.push_back(code);
  region_->cost += 1 + cost / 8;
  return region_->code.back();
}

void Decoder::emit_fault(ir::InstId inst, std::string message) {
  program_.messages.push_back(std::move(message));
  emit(op_fault, inst).aux = static_cast<uint32_t>(program_.messages.size() - 1);
}

void Decoder::fault_results(ir::InstId inst, std::string message) {
  const ir::Inst& i = module_.insts[inst];
  emit_fault(inst, std::move(message));
  for (uint32_t r = 0; r < i.result_count; ++r) define(module_.result(i, r));
}

// ---- leaves ----

bool Decoder::layout_leaves(TypeId type, LayoutId layout, uint64_t offset, uint32_t& unit, std::vector<Leaf>& out, int depth) {
  if (depth > 64 || out.size() > kMostLeaves || offset >= kBadOffset) return false;
  const Type t = types_[type];
  const auto add = [&](uint64_t at, ScalarKind kind, bool wide, uint32_t bytes) {
    out.push_back({static_cast<uint32_t>(at), unit * stride_, kind, static_cast<uint8_t>(bytes), wide});
    unit += wide ? 2 : 1;
  };
  const uint32_t bytes = t.scalar == ScalarKind::none ? 8 : t.scalar == ScalarKind::bool_ ? 4 : scalar_bits(t.scalar) / 8;
  const bool has = !layout.is_none();
  switch (t.kind) {
    case TypeKind::scalar:
    case TypeKind::atomic: add(offset, t.scalar, is_wide(t.scalar), bytes); return true;
    case TypeKind::pointer: add(offset, ScalarKind::u64, true, 8); return true;
    case TypeKind::vector: {
      const uint32_t step = has && layouts_[layout].stride != 0 ? layouts_[layout].stride : bytes;
      for (uint32_t i = 0; i < t.rows; ++i) add(offset + uint64_t{i} * step, t.scalar, is_wide(t.scalar), bytes);
      return true;
    }
    case TypeKind::matrix: {
      if (!has) return false;
      const Layout& l = layouts_[layout];
      for (uint32_t c = 0; c < t.columns; ++c) {
        for (uint32_t r = 0; r < t.rows; ++r) {
          const uint64_t at =
              l.row_major ? uint64_t{r} * l.stride + uint64_t{c} * bytes : uint64_t{c} * l.stride + uint64_t{r} * bytes;
          add(offset + at, t.scalar, is_wide(t.scalar), bytes);
        }
      }
      return true;
    }
    case TypeKind::array: {
      if (!has) return false;
      const Layout l = layouts_[layout];
      for (uint32_t i = 0; i < array_count(t) && units(t.element) != 0; ++i) {
        if (!layout_leaves(t.element, l.element, offset + uint64_t{i} * l.stride, unit, out, depth + 1)) return false;
      }
      return true;
    }
    case TypeKind::struct_: {
      if (!has) return false;
      for (uint32_t i = 0; i < types_.struct_decl(type).members.size(); ++i) {
        const TypeId member = types_.struct_decl(type).members[i].type;
        if (!layout_leaves(member, layouts_.member_layout(layout, i), offset + layouts_.member_offset(layout, i), unit, out,
                           depth + 1))
          return false;
      }
      return true;
    }
    default: return false;
  }
}

const std::vector<Leaf>* Decoder::leaf_list(TypeId type, LayoutId layout, MemMode mode) {
  const bool bytes = mode == MemMode::bytes;
  const auto key = std::make_pair(uint64_t{type.value} << 32 | (bytes ? layout.value : 0), static_cast<uint8_t>(bytes));
  const auto found = leaf_cache_.find(key);
  if (found != leaf_cache_.end()) return found->second;
  auto list = std::make_unique<std::vector<Leaf>>();
  bool ok = units(type) <= kMostLeaves;
  if (ok && bytes) {
    uint32_t unit = 0;
    ok = layout_leaves(type, layout, 0, unit, *list, 0);
  } else if (ok) {
    for_leaves(type, 0, [&](uint32_t unit, ScalarKind kind, bool wide) {
      list->push_back({unit, unit * stride_, kind, static_cast<uint8_t>(wide ? 8 : 4), wide});
    });
  }
  if (!ok) return nullptr;
  program_.leaf_lists.push_back(std::move(list));
  return leaf_cache_[key] = program_.leaf_lists.back().get();
}

// ---- copies ----

namespace {
constexpr uint32_t kWideBit = 0x80000000u;
}

void Decoder::add_copy(Copies& copies, TypeId type, uint32_t dst, uint32_t src) {
  const size_t first = copies.parts.size();
  if (units(type) > kMostLeaves) {
    fail("a value is too large for the executor");
    return;
  }
  for_leaves(type, 0, [&](uint32_t unit, ScalarKind, bool wide) {
    const uint32_t n = wide ? 2 : 1;
    if (copies.parts.size() > first && ((copies.parts.back().units & kWideBit) != 0) == wide) {
      copies.parts.back().units += n;
    } else {
      copies.parts.push_back({dst + unit * stride_, src + unit * stride_, n | (wide ? kWideBit : 0)});
    }
  });
}

uint32_t Decoder::add_copies(const std::vector<std::pair<uint32_t, ir::ValueId>>& pairs) {
  Copies direct;
  for (const auto& [dst, value] : pairs) add_copy(direct, type_of(value), dst, row_of(value));
  bool hazard = direct.parts.size() > 64;  // then staging is cheaper than looking
  for (size_t d = 0; d + 1 < direct.parts.size() && !hazard; ++d) {
    const CopyPart& w = direct.parts[d];
    const uint32_t w_end = w.dst + (w.units & ~kWideBit) * stride_;
    for (size_t s = d + 1; s < direct.parts.size(); ++s) {
      const CopyPart& r = direct.parts[s];
      if (r.src < w_end && w.dst < r.src + (r.units & ~kWideBit) * stride_) hazard = true;
    }
  }
  if (hazard) {  // read all, then write all
    Copies staged;
    for (const CopyPart& part : direct.parts) staged.parts.push_back({alloc(part.units & ~kWideBit), part.src, part.units});
    const size_t n = direct.parts.size();
    for (size_t i = 0; i < n; ++i) staged.parts.push_back({direct.parts[i].dst, staged.parts[i].dst, direct.parts[i].units});
    direct = std::move(staged);
  }
  program_.copies.push_back(std::move(direct));
  return static_cast<uint32_t>(program_.copies.size() - 1);
}

void Decoder::copy_rows(ir::InstId inst, const Copies& copies) {
  uint64_t cost = 0;
  for (const CopyPart& part : copies.parts) cost += part.units & ~kWideBit;
  program_.copies.push_back(copies);
  emit(op_copies, inst, cost).aux = static_cast<uint32_t>(program_.copies.size() - 1);
}

}  // namespace carry::exec
