// Constant operands outside of an operation's domain. At run time WGSL has the values of the contract; when the operand is
// constant the text is an error (semantics.md 0.3): a constant with the same result takes its place.
#include <algorithm>

#include "write/wgsl/state.h"

namespace carry::write::wgsl {

using ir::Inst;
using ir::ValueId;

namespace {

bool is_division(Op op) { return op == Op::udiv || op == Op::sdiv || op == Op::urem || op == Op::srem; }
/// Past the exponent of a half float's infinity, in some component.
bool has_large_exponent(const ir::Module& m, ConstId id) {
  const Constant c = m.types().constant(id);
  if (c.kind == Constant::Kind::scalar) return static_cast<int32_t>(static_cast<uint32_t>(c.bits)) > 16;
  if (c.kind != Constant::Kind::composite) return false;
  const std::span<const ConstId> parts = m.types().parts(id);
  return std::any_of(parts.begin(), parts.end(), [&m](ConstId part) { return has_large_exponent(m, part); });
}

bool is_shift(Op op) { return op == Op::shl || op == Op::lshr || op == Op::ashr; }

}  // namespace

/// The constant that `v` is, also through a bitcast that stands in the same expression.
ConstId Writer::constant_behind(ValueId v) const {
  if (v.is_constant()) return v.const_id();
  if (fold_ == nullptr || !v.is_local() || !fold_->folded(v)) return {};
  const Inst& inst = m_.insts[fold_->definition(v)];
  if (inst.op != Op::bitcast || !m_.operand(inst, 0).is_constant()) return {};
  const TypeId type = type_of(v);
  const ConstId from = m_.operand(inst, 0).const_id();
  TypeTable& types = m_.types();
  if (types.component_count(type) != types.component_count(types.constant(from).type)) return {};
  return map_components(from, type, [](uint32_t, uint64_t bits) { return bits; });
}

/// 32-bit components of a constant, each through `f(component, bits)`, as a constant of `type`; none when it has no such.
template <class F>
ConstId Writer::map_components(ConstId id, TypeId type, F f) const {
  TypeTable& types = m_.types();
  const uint32_t count = types.component_count(type);
  const bool vector = types.is_vector(types.constant(id).type);
  std::vector<ConstId> parts;
  for (uint32_t i = 0; i < count; ++i) {
    const ConstId part = vector ? types.part_of(id, i) : id;
    if (!part || types.constant(part).kind != Constant::Kind::scalar) return {};
    parts.push_back(types.constant_bits(types.scalar(types.scalar_of(type)), f(i, types.constant(part).bits)));
  }
  return count == 1 ? parts[0] : types.constant_composite(type, parts);
}

/// What stands for operand 1 of a shift or division.
Expr Writer::second_operand(const Inst& inst) {
  const ValueId v = m_.operand(inst, 1);
  const ConstId id = is_division(inst.op) || is_shift(inst.op) ? constant_behind(v) : ConstId{};
  if (!id) return value(v);
  const TypeId type = type_of(v);
  ConstId changed;
  if (is_shift(inst.op)) {
    changed = map_components(id, type, [](uint32_t, uint64_t bits) { return bits & 31; });
  } else {
    // x / 1 = x and x % 1 = 0: what the contract says for 0, and for INT_MIN by -1.
    constexpr uint64_t kMin = 0x80000000u;
    const ConstId left = constant_behind(m_.operand(inst, 0));
    TypeTable& types = m_.types();
    const bool is_signed = inst.op == Op::sdiv || inst.op == Op::srem;
    changed = map_components(id, type, [&](uint32_t i, uint64_t bits) -> uint64_t {
      if (bits == 0) return 1;
      if (!is_signed || bits != 0xffffffffu || !left) return bits;
      const ConstId part = types.is_vector(types.constant(left).type) ? types.part_of(left, i) : left;
      return part && types.constant(part).kind == Constant::Kind::scalar && types.constant(part).bits == kMin ? 1 : bits;
    });
  }
  return changed ? constant(changed) : value(v);
}

/// extractBits and insertBits: constant offset and count that reach past the width are errors, alone or together.
Expr Writer::bit_field(std::string_view function, const Inst& inst) {
  const uint32_t last = inst.operands.count - 1;
  const ConstId offset = constant_behind(m_.operand(inst, last - 1));
  const ConstId count = constant_behind(m_.operand(inst, last));
  std::string text(function);
  text += '(';
  for (uint32_t i = 0; i + 1 < last; ++i) text += arg(m_.operand(inst, i)) + ", ";
  const auto bits = [&](ConstId id) { return std::min<uint64_t>(m_.types().constant(id).bits, 32); };
  const auto word = [&](uint64_t v) { return constant(m_.types().constant_u32(static_cast<uint32_t>(v))).text; };
  const auto give = [&](ConstId id, ValueId v, uint64_t most) { return id ? word(std::min(bits(id), most)) : arg(v); };
  text += give(offset, m_.operand(inst, last - 1), 32) + ", ";
  text += give(count, m_.operand(inst, last), offset ? 32 - bits(offset) : 32);
  text += ')';
  return {std::move(text)};
}

/// True when a constant step goes past the end: what is there reads as zero.
bool Writer::leaves(TypeId type, std::span<const ValueId> path) const {
  for (ValueId step : path) {
    const uint32_t count = m_.types().part_count(type);
    const uint64_t index = step.is_constant() ? m_.types().constant(step.const_id()).bits & 0xffffffffu : 0;
    if (step.is_constant() && count != 0 && index >= count) return true;
    type = m_.types().part(type, static_cast<uint32_t>(index));
  }
  return false;
}

/// A constant index, or the last one when it is past the end: WGSL does the same at run time.
uint32_t Writer::fitting_index(TypeId type, ValueId step) const {
  const uint32_t count = m_.types().part_count(type);
  const uint32_t index = static_cast<uint32_t>(m_.types().constant(step.const_id()).bits);
  return count != 0 && index >= count ? count - 1 : index;
}

/// An operand that may not be a constant in the text, or none. Floats are computed at run time: a constant expression may not
/// give infinity or NaN, and folding leaves operations on matrices. `ldexp` refuses large constant exponents alone.
ValueId Writer::run_time_operand(const Inst& inst) const {
  if (fold_ == nullptr || inst.operands.count == 0) return {};
  const std::span<const ValueId> operands = m_.operands(inst);
  if (inst.op == Op::ldexp && operands[1].is_constant() && has_large_exponent(m_, operands[1].const_id())) return operands[1];
  switch (inst.op) {
    case Op::make:
    case Op::elem:
    case Op::shuffle:
    case Op::select:
    case Op::bitcast:
    case Op::transpose: return {};
    default: break;
  }
  if ((op_row(inst.op).traits & kPure) == 0 || !is_float(m_.types().scalar_of(type_of(operands[0])))) return {};
  const auto is_constant = [](ValueId v) { return v.is_constant(); };
  return std::all_of(operands.begin(), operands.end(), is_constant) ? operands[0] : ValueId();
}

/// Through a `let` at the function's start, which makes no constant expression.
Expr Writer::run_time_constant(ConstId id) {
  for (const auto& [known, name] : run_time_constants_) {
    if (known == id) return {name};
  }
  run_time_constants_.emplace_back(id, names_.take("known"));
  return {run_time_constants_.back().second};
}

/// WGSL has no unary minus on unsigned integers.
Expr Writer::negate(const Inst& inst) {
  const ValueId v = m_.operand(inst, 0);
  const TypeId type = type_of(v);
  const ScalarKind s = m_.types().scalar_of(type);
  if (is_float(s) || s == to_signed(s)) return {"-" + operand(value(v), Prec::unary), Prec::unary};
  return {constant(m_.types().zero(type)).text + " - " + operand(value(v), Prec::add, true), Prec::add};
}

}  // namespace carry::write::wgsl
