#include "pass/io_parts.h"

#include <algorithm>

namespace carry::pass {

using ir::Builder;
using ir::BuiltinVar;
using ir::Global;
using ir::GlobalId;
using ir::ValueId;

namespace {

constexpr uint32_t kUnset = Id<TypeId>::kNone;

bool is_array(const TypeTable& types, TypeId t) { return types.kind(t) == TypeKind::array; }

/// Joins a piece into the part that already has its location (and dual-source index), or starts one.
void place(ir::Module& m, std::vector<IoPart>& parts, const Global& g, const IoPiece& piece, uint32_t location,
           uint32_t component) {
  TypeTable& types = m.types();
  const uint32_t count = types.component_count(piece.type);
  for (IoPart& part : parts) {
    if (part.io.builtin != BuiltinVar::none || part.io.location != location || part.io.index != g.index) continue;
    const uint32_t width = std::max(types.component_count(part.type), component + count);
    part.type = types.vector(types.scalar_of(part.type), width);
    part.pieces.push_back(piece);
    part.pieces.back().component = component;
    return;
  }
  IoPart part;
  part.io.location = location;
  part.io.index = g.index;
  part.io.flags = g.flags;
  part.type = component == 0 ? piece.type : types.vector(types.scalar_of(piece.type), component + count);
  part.name = g.block_member ? g.block_member : g.name;
  part.pieces.push_back(piece);
  part.pieces.back().component = component;
  parts.push_back(std::move(part));
}

void add_builtin(ir::Module& m, std::vector<IoPart>& parts, GlobalId id) {
  const Global& g = m.globals[id];
  for (IoPart& part : parts) {
    if (part.io.builtin == g.builtin) {
      part.pieces.push_back({id, kUnset, 0, part.type});
      return;
    }
  }
  IoPart part;
  part.io.builtin = g.builtin;
  part.io.flags = g.flags;
  part.type = g.value_type;
  part.name = g.name;
  // sample_mask is an array of one word in the source languages and a word in the targets.
  const bool word = is_array(m.types(), g.value_type) && g.builtin == BuiltinVar::sample_mask;
  if (word) part.type = m.types()[g.value_type].element;
  part.pieces.push_back({id, word ? 0u : kUnset, 0, part.type});
  parts.push_back(std::move(part));
}

}  // namespace

std::vector<IoPart> io_parts(ir::Module& m, const std::vector<GlobalId>& globals, bool interpolated) {
  TypeTable& types = m.types();
  std::vector<IoPart> parts;
  for (GlobalId id : globals) {
    const Global& g = m.globals[id];
    if (g.builtin != BuiltinVar::none) continue;
    const uint32_t component = g.component == kUnset ? 0 : g.component;
    if (!is_array(types, g.value_type)) {
      place(m, parts, g, {id, kUnset, 0, g.value_type}, g.location, component);
      continue;
    }
    const Type array = types[g.value_type];
    for (uint32_t i = 0; i < array.count; ++i) place(m, parts, g, {id, i, 0, array.element}, g.location + i, component);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const IoPart& a, const IoPart& b) { return a.io.location < b.io.location; });
  for (IoPart& part : parts) {
    if (interpolated && is_int(types.scalar_of(part.type))) part.io.flags |= ir::kGlobalFlat;
  }
  for (GlobalId id : globals) {
    if (m.globals[id].builtin != BuiltinVar::none) add_builtin(m, parts, id);
  }
  return parts;
}

namespace {

/// Signed and unsigned integers may share a location.
ValueId as_scalar(Builder& b, ValueId v, ScalarKind scalar) {
  const TypeId have = b.type_of(v);
  TypeTable& types = b.module().types();
  return types.scalar_of(have) == scalar ? v : b.convert(Op::bitcast, types.with_scalar(have, scalar), v);
}

ValueId components(Builder& b, ValueId v, uint32_t first, TypeId type) {
  v = as_scalar(b, v, b.module().types().scalar_of(type));
  if (b.type_of(v) == type) return v;
  const uint32_t count = b.module().types().component_count(type);
  if (count == 1) return b.elem(v, first);
  uint32_t list[4];
  for (uint32_t i = 0; i < count; ++i) list[i] = first + i;
  return b.shuffle(v, v, std::span<const uint32_t>(list, count));
}

}  // namespace

ValueId global_from_parts(Builder& b, GlobalId global, const std::vector<IoPart>& parts, const std::vector<ValueId>& values) {
  const TypeId type = b.module().globals[global].value_type;
  std::vector<ValueId> elements;
  for (size_t p = 0; p < parts.size(); ++p) {
    for (const IoPiece& piece : parts[p].pieces) {
      if (piece.global != global) continue;
      const ValueId v = components(b, values[p], piece.component, piece.type);
      if (piece.element == kUnset) return v;
      if (elements.size() <= piece.element) elements.resize(piece.element + 1);
      elements[piece.element] = v;
    }
  }
  return b.make(type, elements);
}

ValueId part_from_globals(Builder& b, const IoPart& part, const std::vector<ValueId>& globals) {
  TypeTable& types = b.module().types();
  if (part.pieces.empty()) return b.zero(part.type);
  std::vector<ValueId> values;
  for (const IoPiece& piece : part.pieces) {
    const ValueId whole = globals[piece.global.value];
    const ValueId value = piece.element == kUnset ? whole : b.elem(whole, piece.element);
    values.push_back(part.io.builtin != BuiltinVar::none ? value : as_scalar(b, value, types.scalar_of(part.type)));
  }
  if (values.size() == 1 && b.type_of(values[0]) == part.type) return values[0];
  if (part.io.builtin != BuiltinVar::none) return values.back();
  const uint32_t width = types.component_count(part.type);
  std::vector<ValueId> lanes(width, b.zero(types.scalar(types.scalar_of(part.type))));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t count = types.component_count(part.pieces[i].type);
    for (uint32_t c = 0; c < count; ++c) lanes[part.pieces[i].component + c] = count == 1 ? values[i] : b.elem(values[i], c);
  }
  return b.make(part.type, lanes);
}

bool is_subgroup_mask(BuiltinVar v) {
  return v == BuiltinVar::subgroup_eq_mask || v == BuiltinVar::subgroup_ge_mask || v == BuiltinVar::subgroup_gt_mask ||
         v == BuiltinVar::subgroup_le_mask || v == BuiltinVar::subgroup_lt_mask;
}

namespace {

/// Word `k` of the mask of all bits below `end`.
ValueId below(Builder& b, ValueId end, uint32_t k) {
  const ValueId ones = b.const_u32(0xffffffffu);
  const auto raw = static_cast<uint32_t>(ArithmeticVariant::raw);
  const ValueId shift = b.binary(Op::and_, end, b.const_u32(31));
  const ValueId partial = b.binary(Op::sub, b.binary(Op::shl, b.const_u32(1), shift, raw), b.const_u32(1));
  const ValueId reached = k == 0 ? b.const_bool(true) : b.binary(Op::ule, b.const_u32(32 * k), end);
  const ValueId passed = b.binary(Op::ule, b.const_u32(32 * (k + 1)), end);
  const ValueId some = b.select(passed, ones, partial);
  return k == 0 ? some : b.select(reached, some, b.const_u32(0));
}

}  // namespace

ValueId lanes_below(Builder& b, ValueId end) {
  ValueId words[4];
  for (uint32_t k = 0; k < 4; ++k) words[k] = below(b, end, k);
  return b.make(b.module().types().vector(ScalarKind::u32, 4), words);
}

ValueId subgroup_mask(Builder& b, BuiltinVar mask, ValueId lane, ValueId size) {
  const ValueId after = b.binary(Op::add, lane, b.const_u32(1));
  ValueId words[4];
  for (uint32_t k = 0; k < 4; ++k) {
    const auto between = [&](ValueId start, ValueId end) {
      const ValueId without = below(b, start, k);
      const ValueId all = below(b, end, k);
      return b.binary(Op::and_, all, b.unary(Op::not_, without));
    };
    switch (mask) {
      case BuiltinVar::subgroup_lt_mask: words[k] = below(b, lane, k); break;
      case BuiltinVar::subgroup_le_mask: words[k] = below(b, after, k); break;
      case BuiltinVar::subgroup_eq_mask: words[k] = between(lane, after); break;
      case BuiltinVar::subgroup_ge_mask: words[k] = between(lane, size); break;
      default: words[k] = between(after, size); break;
    }
  }
  return b.make(b.module().types().vector(ScalarKind::u32, 4), words);
}

}  // namespace carry::pass
