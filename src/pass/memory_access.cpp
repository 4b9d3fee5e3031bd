#include "pass/memory_access.h"

#include "pass/atomic_loops.h"
#include "pass/build.h"
#include "pass/loops.h"

namespace carry::pass {

using ir::Inst;
using ir::ValueId;
using Kind = Shape::Kind;

namespace {

/// More elements than this are copied in a loop.
constexpr uint32_t kUnroll = 16;

/// Minimum and maximum with the sign that the declared atomic type does not have.
ValueId other_sign(ir::Builder& b, ValueId current, ValueId operand, Op op) {
  TypeTable& types = b.module().types();
  const TypeId memory = b.type_of(current);
  const bool is_signed = op == Op::atomic_smin || op == Op::atomic_smax;
  const ScalarKind s = types.scalar_of(memory);
  const TypeId work = types.scalar(is_signed ? to_signed(s) : to_unsigned(s));
  const Op plain = op == Op::atomic_smin   ? Op::smin
                   : op == Op::atomic_smax ? Op::smax
                   : op == Op::atomic_umin ? Op::umin
                                           : Op::umax;
  const auto as = [&](TypeId type, ValueId v) { return b.type_of(v) == type ? v : b.convert(Op::bitcast, type, v); };
  const ValueId given = as(work, operand);
  return as(memory, b.binary(plain, as(work, current), given));
}

}  // namespace

void MemoryRewriter::reshape(ir::GlobalId id, ShapeId shape) {
  if (global_shapes_.size() < m().globals.size()) global_shapes_.resize(m().globals.size());
  global_shapes_[id.value] = shape;
  ir::Global& g = m().globals[id];
  g.value_type = shapes_[shape].memory;
  TypeId content = g.value_type;
  if (types().kind(content) == TypeKind::bindings) content = types()[content].element;
  if (g.layout) g.layout = shapes_.layout_of(content, g.layout);
  g.type = types().pointer(g.space, g.access, g.value_type, g.layout);
}

void MemoryRewriter::make_params() {
  places_.clear();
  ir::Function& f = new_function();
  for (size_t i = 0; i < old_function().params.size(); ++i) {
    const ir::Param p = old_function().params[i];
    TypeId type = old_function().value_types[p.value.index()];
    const ShapeId shape = types().is_pointer(type) ? param_shape(type) : ShapeId{};
    if (shape) {
      const Type t = types()[type];
      type = types().pointer(t.space, t.access, shapes_[shape].memory,
                             t.layout ? shapes_.layout_of(shapes_[shape].memory, t.layout) : LayoutId{});
    }
    const ValueId v = b().new_local(type, old_function().value_names[p.value.index()]);
    f.params[i].value = v;
    replace(p.value, v);
    if (shape) places_[p.value.index()] = {v, shape, {}};
  }
}

MemoryRewriter::Place MemoryRewriter::place_of(ValueId old) const {
  if (old.is_global()) return {old, shape_of(old.global_id()), {}};
  if (!old.is_local()) return {};
  const auto found = places_.find(old.index());
  return found == places_.end() ? Place{} : found->second;
}

void MemoryRewriter::add_step(Steps& s, ValueId step_index) {
  const Shape shape = shapes_[s.place.shape];
  switch (shape.kind) {
    case Kind::leaf:
    case Kind::words:
    case Kind::scalars:
    case Kind::widened:
      s.path.push_back(step_index);
      s.place.shape = shapes_.component(s.place.shape);
      return;
    case Kind::matrix:
      s.path.push_back(step_index);
      s.place.shape = shapes_.column(s.place.shape);
      return;
    case Kind::transposed:
    case Kind::lines: {
      const bool by_rows = shape.kind == Kind::transposed || shape.row_major;
      if (by_rows && !s.place.column) {
        s.place.column = step_index;
        return;
      }
      s.path.push_back(step_index);
      if (shape.wrapped) s.path.push_back(index(0));
      ShapeId line = shape.kind == Kind::lines ? shape.element : shapes_.column(s.place.shape);
      if (by_rows) {
        s.path.push_back(s.place.column);
        s.place.column = {};
        line = shapes_.component(line);
      }
      s.place.shape = line;
      return;
    }
    case Kind::array:
      s.path.push_back(step_index);
      if (shape.wrapped) s.path.push_back(index(0));
      s.place.shape = shape.element;
      return;
    case Kind::bindings:
      s.path.push_back(step_index);
      s.place.shape = shape.element;
      return;
    case Kind::struct_: {
      const uint32_t member = static_cast<uint32_t>(types().constant(step_index.const_id()).bits);
      s.path.push_back(index(shape.member_index[member]));
      s.place.shape = shape.members[member];
      return;
    }
  }
}

void MemoryRewriter::finish(Steps& s, uint8_t flags) {
  if (!s.path.empty()) s.place.pointer = b().at(s.place.pointer, s.path, flags);
  s.path.clear();
}

MemoryRewriter::Place MemoryRewriter::step(const Place& place, ValueId step_index, uint8_t flags) {
  Steps s{place, {}};
  add_step(s, step_index);
  finish(s, flags);
  return s.place;
}

// ---- values ----

ValueId MemoryRewriter::from_memory(ValueId v, TypeId value_type) {
  const TypeId have = type_of(v);
  if (have == value_type) return v;
  if (types().scalar_of(value_type) == ScalarKind::bool_) return b().binary(Op::ne, v, b().zero(have));
  return b().convert(Op::bitcast, value_type, v);
}

ValueId MemoryRewriter::to_memory(ValueId v, ScalarKind scalar) {
  const TypeId have = type_of(v);
  if (types().scalar_of(have) == scalar) return v;
  const TypeId want = types().with_scalar(have, scalar);
  // Bits of a float as an integer constant: WGSL need not keep the sign of a constant zero.
  if (v.is_constant() && types().is_scalar(have) && types().scalar_of(have) != ScalarKind::bool_)
    return bits_like(b(), want, types().constant(v.const_id()).bits);
  if (types().scalar_of(have) == ScalarKind::bool_) return b().select(v, bits_like(b(), want, 1), b().zero(want));
  return b().convert(Op::bitcast, want, v);
}

uint32_t MemoryRewriter::atomic_info(ValueId pointer) {
  const bool workgroup = types()[type_of(pointer)].space == Space::workgroup;
  return ir::AtomicInfo{workgroup ? ir::Scope::workgroup : ir::Scope::device, ir::Order::relaxed}.pack();
}

ValueId MemoryRewriter::load_leaf(const Place& place, uint8_t flags) {
  const Shape s = shapes_[place.shape];
  if (s.atomic && s.kind == Kind::leaf) {
    return from_memory(b().emit(Op::atomic_load, types().scalar(s.scalar), {place.pointer}, atomic_info(place.pointer), flags),
                       s.value);
  }
  if (s.kind == Kind::words) {
    const TypeId pair = types().vector(ScalarKind::u32, 2);
    return b().convert(Op::bitcast, s.value, b().emit(Op::load, pair, {place.pointer}, 0, flags));
  }
  const uint32_t count = types().component_count(s.value);
  if (s.kind == Kind::leaf) {
    return from_memory(b().emit(Op::load, types().with_scalar(s.value, s.scalar), {place.pointer}, 0, flags), s.value);
  }
  if (s.kind == Kind::widened && count > 1) {
    const ValueId all = b().emit(Op::load, s.memory, {place.pointer}, 0, flags);
    const uint32_t first[] = {0, 1, 2, 3};
    return from_memory(count == 4 ? all : b().shuffle(all, all, std::span<const uint32_t>(first, count)), s.value);
  }
  std::vector<ValueId> parts;
  for (uint32_t i = 0; i < count; ++i) {
    parts.push_back(load_leaf(step(place, index(i), 0), flags));
  }
  return count == 1 ? parts[0] : b().make(s.value, parts);
}

void MemoryRewriter::store_leaf(const Place& place, ValueId value, uint8_t flags) {
  const Shape s = shapes_[place.shape];
  if (s.kind == Kind::words)
    return b().store(place.pointer, b().convert(Op::bitcast, types().vector(ScalarKind::u32, 2), value), flags);
  if (s.kind == Kind::leaf) {
    const ValueId v = to_memory(value, s.scalar);
    if (!s.atomic) return b().store(place.pointer, v, flags);
    b().emit(Op::atomic_store, TypeId::void_, {place.pointer, v}, atomic_info(place.pointer), flags);
    return;
  }
  const uint32_t count = types().component_count(s.value);
  for (uint32_t i = 0; i < count; ++i) {
    const Place part = step(place, index(i), 0);
    store_leaf(part, count == 1 ? value : b().elem(value, i), flags);
  }
}

/// Rows and columns of a matrix, or of the array of its columns.
Type MemoryRewriter::matrix_of(const Shape& s) {
  const Type t = types()[s.value];
  if (t.kind == TypeKind::matrix) return t;
  Type m = types()[t.element];
  m.columns = static_cast<uint8_t>(t.count);
  return m;
}

/// Lines of the one direction from those of the other.
std::vector<ValueId> MemoryRewriter::across(std::span<const ValueId> lines, ScalarKind scalar, uint32_t length) {
  std::vector<ValueId> result;
  for (uint32_t i = 0; i < length; ++i) {
    std::vector<ValueId> parts;
    for (ValueId line : lines) parts.push_back(b().elem(line, i));
    const TypeId type = types().vector(scalar, static_cast<uint32_t>(lines.size()));
    result.push_back(parts.size() == 1 ? parts[0] : b().make(type, parts));
  }
  return result;
}

ValueId MemoryRewriter::load_lines(const Place& place, uint8_t flags) {
  const Shape s = shapes_[place.shape];
  const Type t = matrix_of(s);
  std::vector<ValueId> lines;
  for (uint32_t i = 0; i < (s.row_major ? t.rows : t.columns); ++i) {
    Steps line{{place.pointer, s.element, {}}, {index(i)}};
    if (s.wrapped) line.path.push_back(index(0));
    finish(line, 0);
    lines.push_back(load_place(line.place, flags));
  }
  if (!s.row_major) return b().make(s.value, lines);
  if (s.crossed) return b().make(s.value, across(lines, t.scalar, t.columns));
  const ValueId by_rows = b().make(types().matrix(t.scalar, t.rows, t.columns), lines);
  return b().emit(Op::transpose, s.value, {by_rows});
}

void MemoryRewriter::store_lines(const Place& place, ValueId value, uint8_t flags) {
  const Shape s = shapes_[place.shape];
  const Type t = matrix_of(s);
  ValueId from = value;
  if (s.crossed) {
    std::vector<ValueId> columns;
    for (uint32_t i = 0; i < t.columns; ++i) columns.push_back(b().elem(value, i));
    const std::vector<ValueId> lines = across(columns, t.scalar, t.rows);
    for (uint32_t i = 0; i < t.rows; ++i) {
      Steps line{{place.pointer, s.element, {}}, {index(i)}};
      finish(line, 0);
      store_place(line.place, lines[i], flags);
    }
    return;
  }
  if (s.row_major) from = b().emit(Op::transpose, types().matrix(t.scalar, t.rows, t.columns), {value});
  for (uint32_t i = 0; i < (s.row_major ? t.rows : t.columns); ++i) {
    Steps line{{place.pointer, s.element, {}}, {index(i)}};
    if (s.wrapped) line.path.push_back(index(0));
    finish(line, 0);
    store_place(line.place, b().elem(from, i), flags);
  }
}

ValueId MemoryRewriter::element_count(const Shape& array) {
  const Type& t = types()[array.value];
  return t.count_override != Id<TypeId>::kNone ? ValueId(t.count_override) : b().const_u32(t.count);
}

ValueId MemoryRewriter::load_array(const Place& place, uint8_t flags) {
  const Shape s = shapes_[place.shape];
  const Type t = types()[s.value];
  if (t.count_override == Id<TypeId>::kNone && t.count <= kUnroll) {
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < t.count; ++i) parts.push_back(load_place(step(place, index(i), 0), flags));
    return b().make(s.value, parts);
  }
  const ValueId copy = b().var(s.value);
  CountedLoop loop(b(), element_count(s));
  const ValueId i = loop.round();
  const ValueId part = load_place(step(place, i, 0), flags);
  b().store(b().at(copy, {i}), part);
  loop.close();
  return b().load(copy);
}

void MemoryRewriter::store_array(const Place& place, ValueId value, uint8_t flags) {
  const Shape s = shapes_[place.shape];
  const Type t = types()[s.value];
  if (t.count_override == Id<TypeId>::kNone && t.count <= kUnroll) {
    for (uint32_t i = 0; i < t.count; ++i) store_part(place, i, value, flags);
    return;
  }
  const ValueId copy = b().var(s.value, value);
  CountedLoop loop(b(), element_count(s));
  const ValueId i = loop.round();
  const ValueId part = b().load(b().at(copy, {i}));
  store_place(step(place, i, 0), part, flags);
  loop.close();
}

ValueId MemoryRewriter::load_place(const Place& place, uint8_t flags) {
  const Shape s = shapes_[place.shape];
  if (place.column) {
    const Type t = matrix_of(s);
    std::vector<ValueId> parts;
    for (uint32_t r = 0; r < t.rows; ++r) parts.push_back(load_place(step(place, index(r), 0), flags));
    return b().make(types().vector(t.scalar, t.rows), parts);
  }
  switch (s.kind) {
    case Kind::leaf:
    case Kind::words:
    case Kind::scalars:
    case Kind::widened: return load_leaf(place, flags);
    case Kind::transposed: {
      const ValueId by_rows = b().emit(Op::load, s.memory, {place.pointer}, 0, flags);
      return b().emit(Op::transpose, s.value, {by_rows});
    }
    case Kind::lines: return load_lines(place, flags);
    default: break;
  }
  if (s.plain()) return b().emit(Op::load, s.value, {place.pointer}, 0, flags);
  if (s.kind == Kind::array) return load_array(place, flags);
  std::vector<ValueId> parts;
  for (uint32_t i = 0; i < s.members.size(); ++i) parts.push_back(load_place(step(place, index(i), 0), flags));
  return b().make(s.value, parts);
}

/// Statements of their own: C++ leaves open which argument of a call is computed first, and the text must not hang on it.
void MemoryRewriter::store_part(const Place& whole, uint32_t part, ValueId value, uint8_t flags) {
  const ValueId content = b().elem(value, part);
  store_place(step(whole, index(part), 0), content, flags);
}

void MemoryRewriter::store_place(const Place& place, ValueId value, uint8_t flags) {
  const Shape s = shapes_[place.shape];
  if (place.column) {
    const uint32_t rows = matrix_of(s).rows;
    for (uint32_t r = 0; r < rows; ++r) store_part(place, r, value, flags);
    return;
  }
  switch (s.kind) {
    case Kind::leaf:
    case Kind::words:
    case Kind::scalars:
    case Kind::widened: return store_leaf(place, value, flags);
    case Kind::transposed: return b().store(place.pointer, b().emit(Op::transpose, s.memory, {value}), flags);
    case Kind::lines: return store_lines(place, value, flags);
    default: break;
  }
  if (s.plain()) return b().store(place.pointer, value, flags);
  if (s.kind == Kind::array) return store_array(place, value, flags);
  for (uint32_t i = 0; i < s.members.size(); ++i) store_part(place, i, value, flags);
}

// ---- instructions ----

void MemoryRewriter::visit_at(const Inst& inst, const Place& place) {
  Steps s{place, {}};
  for (uint32_t i = 1; i < inst.operands.count; ++i) add_step(s, operand(inst, i));
  finish(s, inst.flags);
  set_place(inst, s.place);
}

void MemoryRewriter::visit_atomic(const Inst& inst, const Place& place) {
  const Shape s = shapes_[place.shape];
  const Op op = inst.op;
  const bool signed_order = op == Op::atomic_smin || op == Op::atomic_smax;
  const bool unsigned_order = op == Op::atomic_umin || op == Op::atomic_umax;
  const TypeId memory = types().scalar(s.scalar);
  std::vector<ValueId> operands{place.pointer};
  for (uint32_t i = 1; i < inst.operands.count; ++i) operands.push_back(to_memory(operand(inst, i), s.scalar));
  ValueId old;
  if (s.atomic && ((signed_order && s.scalar == ScalarKind::u32) || (unsigned_order && s.scalar == ScalarKind::i32))) {
    old = emit_update_loop(b(), place.pointer, operands[1], op, inst.payload, other_sign);
  } else {
    std::vector<TypeId> results;
    if (inst.result_count != 0) results.push_back(memory);
    if (inst.result_count > 1) results.push_back(TypeId::bool_);
    const ir::InstId id = b().emit_full(op, results, operands, {}, inst.payload, inst.flags);
    if (inst.result_count == 0) return;
    old = m().result(m().insts[id], 0);
    if (inst.result_count > 1) replace(inst, 1, m().result(m().insts[id], 1));
  }
  replace(inst, 0, from_memory(old, s.value));
}

bool MemoryRewriter::visit(const Inst& inst) {
  if (visit_other(inst)) return true;
  if (inst.op == Op::call) {
    std::vector<ValueId> operands;
    const ir::Function& callee = m().functions[ir::FunctionId(inst.payload)];
    for (uint32_t i = 0; i < inst.operands.count; ++i) {
      const Place p = place_of(m().operand(inst, i));
      operands.push_back(p ? p.pointer : operand(inst, i));
      const TypeId want = i < callee.params.size() ? callee.value_types[callee.params[i].value.index()] : TypeId::none();
      if (p && (p.column || !(type_of(p.pointer) == want))) {
        context_.error(inst.loc, diag::not_supported_yet, "a pointer argument whose layout differs from the parameter's");
      }
    }
    keep_with(inst, operands);
    return true;
  }
  if (inst.operands.count == 0) return false;
  const Place place = place_of(m().operand(inst, 0));
  if (!place) return false;
  if (inst.op == Op::at) {
    visit_at(inst, place);
  } else if (inst.op == Op::load) {
    replace(inst, 0, load_place(place, inst.flags));
  } else if (inst.op == Op::store) {
    store_place(place, operand(inst, 1), inst.flags);
  } else if (has_trait(inst.op, kAtomic)) {
    visit_atomic(inst, place);
  } else {
    std::vector<ValueId> operands = mapped_operands(inst);
    operands[0] = place.pointer;
    keep_with(inst, operands);
  }
  return true;
}

}  // namespace carry::pass
