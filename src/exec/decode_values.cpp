#include "exec/arith.h"
#include "exec/decode.h"
#include "exec/lanes.h"
#include "exec/values_ops.h"

namespace carry::exec {

namespace {

uint32_t guard_aux(GuardKind guard, ScalarKind kind, bool raw) {
  return static_cast<uint32_t>(guard) | static_cast<uint32_t>(kind) << 8 | (raw ? 1u << 16 : 0u);
}

uint32_t component_total(const Type& t) {
  switch (t.kind) {
    case TypeKind::scalar: return 1;
    case TypeKind::vector: return t.rows;
    case TypeKind::matrix: return uint32_t{t.rows} * t.columns;
    default: return 0;
  }
}

}  // namespace

void Decoder::decode_guards(ir::InstId id, const ir::Inst& inst) {
  if (!has_trait(inst.op, kVariant)) return;
  const bool raw = static_cast<ArithmeticVariant>(inst.payload) == ArithmeticVariant::raw;
  GuardKind guard{};
  uint32_t flag = 0;
  uint32_t subject = 1;  // operand to look at
  switch (inst.op) {
    case Op::sdiv:
    case Op::srem:
    case Op::smod:
      guard = GuardKind::divide_signed;
      flag = kCheckDivision;
      break;
    case Op::udiv:
    case Op::urem:
      guard = GuardKind::divide_unsigned;
      flag = kCheckDivision;
      break;
    case Op::shl:
    case Op::lshr:
    case Op::ashr:
      guard = GuardKind::shift;
      flag = kCheckShift;
      break;
    case Op::f_to_s:
      guard = GuardKind::float_to_signed;
      subject = 0;
      break;
    case Op::f_to_u:
      guard = GuardKind::float_to_unsigned;
      subject = 0;
      break;
    case Op::extract_bits_s:
    case Op::extract_bits_u: guard = GuardKind::bits; break;
    case Op::insert_bits:
      guard = GuardKind::bits;
      subject = 2;
      break;
    default: return;
  }
  if (!raw && (options_.check & flag) == 0) return;
  const Type type = types_[type_of(module_.operand(inst, subject))];
  const uint32_t n = component_total(type);
  Code& code = emit(op_guard, id, n);
  code.a = row_of(module_.operand(inst, 0));
  code.b = row_of(module_.operand(inst, subject));
  if (guard == GuardKind::bits) code.c = row_of(module_.operand(inst, subject + 1));
  code.n = n;
  code.aux = guard_aux(guard, types_.scalar_of(type_of(module_.operand(inst, 0))), raw);
  if (guard == GuardKind::float_to_signed || guard == GuardKind::float_to_unsigned) {
    code.dst = static_cast<uint32_t>(types_.scalar_of(type_of(module_.result(inst))));
  }
}

void Decoder::decode_pure(ir::InstId id, const ir::Inst& inst) {
  if (inst.operands.count == 0 || inst.result_count == 0) {
    fault_results(id, "the executor does not support `" + std::string(op_row(inst.op).name) + "` yet");
    return;
  }
  const ir::ValueId first = module_.operand(inst, 0);
  const ScalarKind kind = kind_of(first);
  const uint32_t traits = op_row(inst.op).traits;
  if (inst.op == Op::transpose || inst.op == Op::mat_mul || inst.op == Op::mat_vec || inst.op == Op::vec_mat ||
      inst.op == Op::mat_scale || inst.op == Op::outer_product) {
    if (!decode_matrix(id, inst)) fault_results(id, "the executor does not support this matrix operation");
    return;
  }
  decode_guards(id, inst);
  Handler handler = nullptr;
  if ((traits & kComp) != 0 && inst.result_count == 1 && inst.operands.count <= 2) {
    const ScalarKind to = kind_of(module_.result(inst));
    handler = integer_handler(inst.op, kind, static_cast<ArithmeticVariant>(inst.payload));
    if (handler == nullptr) handler = float_handler(inst.op, kind);
    if (handler == nullptr) handler = convert_handler(inst.op, kind, to);
    const uint32_t n = component_total(types_[type_of(first)]);
    for (const ir::ValueId v : module_.operands(inst)) {
      if (component_total(types_[type_of(v)]) != n) handler = nullptr;
    }
    const bool shift = inst.op == Op::shl || inst.op == Op::lshr || inst.op == Op::ashr;
    if (shift && is_wide(kind_of(module_.operand(inst, 1)))) handler = nullptr;
    if (component_total(types_[type_of(module_.result(inst))]) != n || n == 0) handler = nullptr;
  }
  if (handler == nullptr) {
    decode_eval(id, inst);
    return;
  }
  const uint32_t n = component_total(types_[type_of(first)]);
  const uint32_t a = row_of(first);
  const uint32_t b = inst.operands.count > 1 ? row_of(module_.operand(inst, 1)) : 0;
  const uint32_t dst = define(module_.result(inst));
  Code& code = emit(handler, id, n);
  code.dst = dst;
  code.a = a;
  code.b = b;
  code.n = n;
  if ((options_.check & kCheckNan) != 0 && is_float(kind) && is_float(kind_of(module_.result(inst)))) {
    Code& guard = emit(op_guard_nan, id, n);
    guard.a = dst;
    guard.b = a;
    guard.c = inst.operands.count > 1 ? b : a;
    guard.n = n;
    guard.aux = static_cast<uint32_t>(kind);
  }
}

void Decoder::decode_eval(ir::InstId id, const ir::Inst& inst) {
  EvalCode eval;
  eval.op = inst.op;
  eval.payload = inst.payload;
  eval.componentwise = has_trait(inst.op, kComp);
  const auto part = [&](ir::ValueId v) {
    const Type t = types_[type_of(v)];
    EvalCode::Part p;
    p.count = component_total(t);
    p.kind = t.scalar;
    if (t.kind == TypeKind::matrix) {
      p.columns = t.columns;
      p.rows = t.rows;
    }
    return p;
  };
  uint64_t cost = 0;
  for (const ir::ValueId v : module_.operands(inst)) {
    EvalCode::Part p = part(v);
    if (p.count == 0) {
      fault_results(id, "the executor does not support `" + std::string(op_row(inst.op).name) + "` on this type");
      return;
    }
    p.row = row_of(v);
    cost += p.count;
    eval.args.push_back(p);
  }
  for (uint32_t r = 0; r < inst.result_count; ++r) {
    const ir::ValueId v = module_.result(inst, r);
    EvalCode::Part p = part(v);
    p.row = define(v);
    eval.results.push_back(p);
  }
  eval.kind = eval.args[0].kind;
  eval.result_kind = eval.results[0].kind;
  program_.evals.push_back(std::move(eval));
  emit(op_eval, id, cost * 4).aux = static_cast<uint32_t>(program_.evals.size() - 1);
}

void Decoder::decode_select(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId condition = module_.operand(inst, 0);
  const ir::ValueId result = module_.result(inst);
  const uint32_t c = row_of(condition);
  const uint32_t x = row_of(module_.operand(inst, 1));
  const uint32_t y = row_of(module_.operand(inst, 2));
  const uint32_t dst = define(result);
  if (failed_) return;
  const bool vector = types_.is_vector(type_of(condition));
  // Runs of rows of one width; a composite may mix them.
  Copies runs;
  add_copy(runs, type_of(result), dst, x);
  for (const CopyPart& run : runs.parts) {
    const bool wide = (run.units >> 31) != 0;
    const uint32_t n = (run.units & 0x7fffffffu) / (wide ? 2 : 1);
    Code& code = emit(select_handler(wide), id, n);
    code.dst = run.dst;
    code.a = c;
    code.b = run.src;
    code.c = y + (run.dst - dst);
    code.n = n;
    code.aux = vector ? stride_ : 0;
  }
}

bool Decoder::constant_index(ir::ValueId v, uint64_t& index) const {
  if (v.is_constant()) {
    index = types_.constant(v.const_id()).bits;
    return true;
  }
  if (v.is_global() && v.index() < values_.by_global.size() && values_.by_global[v.index()].size() == 1) {
    index = values_.by_global[v.index()][0];
    return true;
  }
  return false;
}

bool Decoder::value_step(TypeId& type, uint64_t index, uint64_t& unit) {
  const Type t = types_[type];
  switch (t.kind) {
    case TypeKind::vector:
      if (index >= t.rows) return false;
      break;
    case TypeKind::matrix:
      if (index >= t.columns) return false;
      break;
    case TypeKind::array:
      if (index >= array_count(t)) return false;
      break;
    case TypeKind::struct_: {
      if (index >= types_.struct_decl(type).members.size()) return false;
      for (uint64_t i = 0; i < index; ++i) unit += units(types_.struct_decl(type).members[i].type);
      type = types_.struct_decl(type).members[index].type;
      return true;
    }
    default: return false;
  }
  const TypeId part = types_.part(type, static_cast<uint32_t>(t.kind == TypeKind::array ? 0 : index));
  unit += index * units(part);
  type = part;
  return true;
}

void Decoder::decode_elem(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId result = module_.result(inst);
  TypeId type = type_of(module_.operand(inst, 0));
  if (types_.kind(type) == TypeKind::bindings) {
    Pointer p;
    if (pointer_of(module_.operand(inst, 0), p, id)) decode_at_handle(id, inst, p);
    return;
  }
  const uint32_t base = row_of(module_.operand(inst, 0));
  uint64_t unit = 0;
  for (uint32_t i = 1; i < inst.operands.count; ++i) {
    const ir::ValueId step = module_.operand(inst, i);
    uint64_t index = 0;
    if (constant_index(step, index)) {
      if (!value_step(type, index, unit)) {  // out of range: zero
        const uint32_t row = constant_row(types_.zero(type_of(result)));
        if (result.is_local())
          alias(result, row);
        else
          module_rows_[result.index()] = row;
        return;
      }
      continue;
    }
    // A dynamic index selects among equal parts, the rest of the chain is constant: compare and select over the parts.
    const Type t = types_[type];
    uint64_t count = t.kind == TypeKind::vector   ? t.rows
                     : t.kind == TypeKind::matrix ? t.columns
                     : t.kind == TypeKind::array  ? array_count(t)
                                                  : 0;
    TypeId part = types_.part(type, 0);
    if (i + 1 != inst.operands.count || count == 0 || part.is_none()) {
      fault_results(id, "the executor does not support a dynamic index in the middle of `elem`");
      return;
    }
    const uint32_t index_row = row_of(step);
    const uint32_t dst = define(result);
    if (failed_) return;
    const uint64_t part_units = units(part);
    // Parts of several scalars: leaf by leaf; a leaf's rows are `part_units` apart.
    const uint32_t src = base + static_cast<uint32_t>(unit) * stride_;
    for_leaves(part, 0, [&](uint32_t u, ScalarKind, bool wide) {
      Code& code = emit(elem_dynamic_handler(wide), id, 1);
      code.dst = dst + u * stride_;
      code.a = src + u * stride_;
      code.b = index_row;
      code.n = static_cast<uint32_t>(count);
      code.aux = static_cast<uint32_t>(part_units);
    });
    return;
  }
  const uint32_t row = base + static_cast<uint32_t>(unit) * stride_;
  if (result.is_local()) {
    alias(result, row);
    if (types_.is_pointer(type)) split_pointer(result, id);
  } else {
    module_rows_[result.index()] = row;
  }
}

void Decoder::decode_with(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId result = module_.result(inst);
  const ir::ValueId source = module_.operand(inst, 0);
  const ir::ValueId part = module_.operand(inst, inst.operands.count - 1);
  TypeId type = type_of(source);
  uint64_t unit = 0;
  Copies copies;
  const uint32_t src = row_of(source);
  const uint32_t part_row = row_of(part);
  const uint32_t dst = define(result);
  if (failed_) return;
  add_copy(copies, type, dst, src);
  for (uint32_t i = 1; i + 1 < inst.operands.count; ++i) {
    const ir::ValueId step = module_.operand(inst, i);
    uint64_t index = 0;
    if (constant_index(step, index)) {
      if (!value_step(type, index, unit)) {  // out of range: unchanged
        copy_rows(id, copies);
        return;
      }
      continue;
    }
    const Type t = types_[type];
    const uint64_t count = t.kind == TypeKind::vector   ? t.rows
                           : t.kind == TypeKind::matrix ? t.columns
                           : t.kind == TypeKind::array  ? array_count(t)
                                                        : 0;
    if (i + 2 != inst.operands.count || count == 0) {
      fault_results(id, "the executor does not support a dynamic index in the middle of `with`");
      return;
    }
    const uint32_t index_row = row_of(step);
    copy_rows(id, copies);
    const TypeId element = types_.part(type, 0);
    const uint64_t part_units = units(element);
    const uint32_t to = dst + static_cast<uint32_t>(unit) * stride_;
    for_leaves(element, 0, [&](uint32_t u, ScalarKind, bool wide) {
      Code& code = emit(with_dynamic_handler(wide), id, 1);
      code.dst = to + u * stride_;
      code.a = index_row;
      code.b = part_row + u * stride_;
      code.n = static_cast<uint32_t>(count);
      code.aux = static_cast<uint32_t>(part_units);
    });
    return;
  }
  add_copy(copies, type, dst + static_cast<uint32_t>(unit) * stride_, part_row);
  copy_rows(id, copies);
}

void Decoder::decode_make(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId result = module_.result(inst);
  const TypeId type = type_of(result);
  const std::span<const ir::ValueId> parts = module_.operands(inst);
  std::vector<uint32_t> rows;
  for (const ir::ValueId v : parts) rows.push_back(row_of(v));
  const uint32_t dst = define(result);
  if (failed_) return;
  Copies copies;
  if (parts.size() == 1 && types_.is_vector(type) && types_.is_scalar(type_of(parts[0]))) {
    const uint32_t step = static_cast<uint32_t>(units(type_of(parts[0]))) * stride_;
    for (uint32_t i = 0; i < types_[type].rows; ++i) add_copy(copies, type_of(parts[0]), dst + i * step, rows[0]);
    copy_rows(id, copies);
    return;
  }
  uint64_t unit = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    add_copy(copies, type_of(parts[i]), dst + static_cast<uint32_t>(unit) * stride_, rows[i]);
    unit += units(type_of(parts[i]));
  }
  if (unit != units(type)) {
    fail("`make` with parts that do not fill its type", id);
    return;
  }
  copy_rows(id, copies);
}

void Decoder::decode_shuffle(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId a = module_.operand(inst, 0);
  const ir::ValueId b = module_.operand(inst, 1);
  const ir::ValueId result = module_.result(inst);
  const uint32_t rows[2] = {row_of(a), row_of(b)};
  const uint32_t dst = define(result);
  if (failed_) return;
  const Type type = types_[type_of(result)];
  const TypeId scalar = types_.scalar(type.scalar);
  const uint32_t step = static_cast<uint32_t>(units(scalar)) * stride_;
  const uint32_t first = component_total(types_[type_of(a)]);
  const uint32_t second = component_total(types_[type_of(b)]);
  Copies copies;
  for (uint32_t i = 0; i < component_total(type); ++i) {
    const uint32_t index = inst.payload >> (4 * i) & 15;
    if (index >= first + second) {
      fail("`shuffle` with a component that does not exist", id);
      return;
    }
    add_copy(copies, scalar, dst + i * step, index < first ? rows[0] + index * step : rows[1] + (index - first) * step);
  }
  copy_rows(id, copies);
}

void Decoder::decode_bitcast(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId source = module_.operand(inst, 0);
  const ir::ValueId result = module_.result(inst);
  const Type from = types_[type_of(source)];
  const Type to = types_[type_of(result)];
  const uint32_t src = row_of(source);
  const bool pointers = from.kind == TypeKind::pointer || to.kind == TypeKind::pointer;
  if (from.space == Space::physical || to.space == Space::physical) {
    fail("buffer references are not executed yet: there are no device addresses here", id);
    return;
  }
  const auto bits = [](const Type& t) { return t.kind == TypeKind::pointer ? 64u : scalar_bits(t.scalar); };
  if (bits(from) == bits(to) && (pointers || component_total(from) == component_total(to))) {
    if (!result.is_local()) {
      module_rows_[result.index()] = src;
      return;
    }
    alias(result, src);
    if (to.kind == TypeKind::pointer) split_pointer(result, id);
    return;
  }
  EvalCode eval;
  eval.op = Op::bitcast;
  eval.args.push_back({src, component_total(from), 0, 0, from.scalar});
  const uint32_t dst = define(result);
  eval.results.push_back({dst, component_total(to), 0, 0, to.scalar});
  if (component_total(from) == 0 || component_total(to) == 0 ||
      component_total(from) * bits(from) != component_total(to) * bits(to)) {
    fail("`bitcast` between types of different size", id);
    return;
  }
  program_.evals.push_back(std::move(eval));
  emit(op_bitcast, id, 4).aux = static_cast<uint32_t>(program_.evals.size() - 1);
}

void Decoder::decode_lanes(ir::InstId id, const ir::Inst& inst) {
  if (inst.result_count != 1) {
    fault_results(id, "the executor does not support `" + std::string(op_row(inst.op).name) + "` yet");
    return;
  }
  const Handler handler = lane_handler(inst.op);
  if (handler == nullptr) {
    fault_results(id, "the executor does not support `" + std::string(op_row(inst.op).name) + "` in this stage yet");
    return;
  }
  const ir::ValueId result = module_.result(inst);
  LaneOp op;
  op.op = inst.op;
  op.payload = inst.payload;
  const ir::ValueId shaped = inst.operands.count > 0 ? module_.operand(inst, 0) : result;
  op.kind = kind_of(shaped);
  op.components = component_total(types_[type_of(shaped)]);
  if (inst.operands.count > 0) op.a = row_of(module_.operand(inst, 0));
  if (inst.operands.count > 1) op.b = row_of(module_.operand(inst, 1));
  op.dst = define(result);
  program_.lane_ops.push_back(op);
  emit(handler, id, op.components * 4).aux = static_cast<uint32_t>(program_.lane_ops.size() - 1);
}

}  // namespace carry::exec
