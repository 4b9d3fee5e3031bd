// Expressions: operators, conversions, composite values, memory paths. Built-in functions: builtins.cpp.
#include "ops/conversions.h"
#include "write/msl/state.h"

namespace carry::write::msl {

using ir::Inst;
using ir::ValueId;

namespace {

constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};

}  // namespace

Expr Writer::value(ValueId v) {
  if (v.is_constant()) return constant(v.const_id());
  if (v.is_global()) return {module_names_.global(v.index())};
  if (fold_ != nullptr && fold_->folded(v)) return expression(m_.insts[fold_->definition(v)]);
  return {local_names_[v.index()]};
}

Expr Writer::binary(const Inst& inst, std::string_view op, Prec prec) {
  std::string text = operand(value(m_.operand(inst, 0)), prec);
  text += ' ';
  text += op;
  text += ' ';
  text += operand(value(m_.operand(inst, 1)), prec, true);
  return {std::move(text), prec};
}

Expr Writer::wrapping(const Inst& inst, std::string_view op, Prec prec) {
  const TypeId id = result_type(inst);
  const ScalarKind s = m_.types().scalar_of(id);
  const bool scalar = m_.types().is_scalar(id);
  if (s == ScalarKind::u32 || s == ScalarKind::u64 || (is_unsigned_int(s) && !scalar)) return binary(inst, op, prec);
  if (scalar && scalar_bits(s) < 32) {
    // Narrow scalars are promoted to int, whose overflow is undefined: compute in uint and cut.
    return {type(id) + "(uint(" + arg(m_.operand(inst, 0)) + ") " + std::string(op) + " uint(" + arg(m_.operand(inst, 1)) +
            "))"};
  }
  const std::string bits_type = type(m_.types().with_scalar(id, to_unsigned(s)));
  const auto detour = [&](uint32_t i) {
    // A shift count is unsigned already.
    if (m_.types().scalar_of(type_of(m_.operand(inst, i))) != s) return operand(value(m_.operand(inst, i)), prec, i == 1);
    return "as_type<" + bits_type + ">(" + arg(m_.operand(inst, i)) + ")";
  };
  return {"as_type<" + type(id) + ">(" + detour(0) + " " + std::string(op) + " " + detour(1) + ")"};
}

Expr Writer::call_text(std::string_view function, const Inst& inst) {
  std::string text(function);
  text += '(';
  const std::span<const ValueId> ops = m_.operands(inst);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (i != 0) text += ", ";
    text += arg(ops[i]);
  }
  return {text + ")"};
}

Expr Writer::expression(const Inst& inst) {
  const OpRow& row = op_row(inst.op);
  if (row.traits & kAtomic) return atomic(inst);
  if (row.traits & kImage) return image(inst);
  if ((row.traits & kLanes) && !(row.traits & kDerivative)) return subgroup(inst);
  if (is_conversion(inst.op)) return convert(inst);
  switch (inst.op) {
    case Op::select: return select(inst);
    case Op::elem: {
      const std::span<const ValueId> ops = m_.operands(inst);
      return {steps(operand(value(ops[0]), Prec::primary), type_of(ops[0]), ops.subspan(1))};
    }
    case Op::shuffle: return shuffle(inst);
    case Op::make: return make(inst);
    case Op::load: return load(inst);
    case Op::is_helper: return {"simd_is_helper_thread()"};
    default: return operators(inst);
  }
}

Expr Writer::operators(const Inst& inst) {
  const auto prefix = [&](std::string_view op) -> Expr {
    return {std::string(op) + operand(value(m_.operand(inst, 0)), Prec::unary), Prec::unary};
  };
  const TypeId first = inst.operands.count != 0 ? type_of(m_.operand(inst, 0)) : TypeId::void_;
  const ScalarKind s = m_.types().scalar_of(first);
  const bool logical = s == ScalarKind::bool_;
  const bool narrow = m_.types().is_scalar(first) && is_int(s) && scalar_bits(s) < 32;
  const auto cut = [&](Expr e) -> Expr { return narrow ? Expr{type(first) + "(" + e.text + ")"} : std::move(e); };
  switch (inst.op) {
    case Op::add: return wrapping(inst, "+", Prec::add);
    case Op::sub: return wrapping(inst, "-", Prec::add);
    case Op::mul: return wrapping(inst, "*", Prec::multiply);
    case Op::shl: return wrapping(inst, "<<", Prec::other);
    case Op::fadd: return binary(inst, "+", Prec::add);
    case Op::fsub: return binary(inst, "-", Prec::add);
    case Op::fmul:
    case Op::mat_mul:
    case Op::mat_vec:
    case Op::vec_mat:
    case Op::mat_scale: return binary(inst, "*", Prec::multiply);
    case Op::fdiv: return binary(inst, "/", Prec::multiply);
    case Op::sdiv:
    case Op::udiv: return cut(binary(inst, "/", Prec::multiply));
    case Op::srem:
    case Op::urem: return cut(binary(inst, "%", Prec::multiply));
    case Op::fneg: return prefix("-");
    case Op::lshr:
    case Op::ashr: return cut(binary(inst, ">>", Prec::other));
    case Op::and_:
      return logical && m_.types().is_scalar(first) ? binary(inst, "&&", Prec::other)
                                                    : cut(binary(inst, logical ? "&&" : "&", Prec::other));
    case Op::or_:
      return logical && m_.types().is_scalar(first) ? binary(inst, "||", Prec::other)
                                                    : cut(binary(inst, logical ? "||" : "|", Prec::other));
    case Op::xor_: return cut(binary(inst, logical ? "!=" : "^", Prec::other));
    case Op::not_: return logical ? prefix("!") : cut(prefix("~"));
    case Op::eq:
    case Op::feq: return binary(inst, "==", Prec::other);
    case Op::ne:
    case Op::fne: return binary(inst, "!=", Prec::other);
    case Op::slt:
    case Op::ult:
    case Op::flt: return binary(inst, "<", Prec::other);
    case Op::sle:
    case Op::ule:
    case Op::fle: return binary(inst, "<=", Prec::other);
    case Op::neg: {
      const std::string bits_type = type(m_.types().with_scalar(first, narrow ? ScalarKind::u32 : to_unsigned(s)));
      const std::string zero = scalar_constant(narrow ? ScalarKind::u32 : to_unsigned(s), 0).text;
      if (narrow) return {type(first) + "(" + zero + " - uint(" + arg(m_.operand(inst, 0)) + "))"};
      return {"as_type<" + type(first) + ">(" + zero + " - as_type<" + bits_type + ">(" + arg(m_.operand(inst, 0)) + "))"};
    }
    default: return builtin(inst);
  }
}

Expr Writer::select(const Inst& inst) {
  const ValueId condition = m_.operand(inst, 0);
  if (m_.types().is_vector(type_of(condition))) {
    return {"select(" + arg(m_.operand(inst, 2)) + ", " + arg(m_.operand(inst, 1)) + ", " + arg(condition) + ")"};
  }
  return {"(" + operand(value(condition), Prec::unary) + " ? " + operand(value(m_.operand(inst, 1)), Prec::other) + " : " +
          operand(value(m_.operand(inst, 2)), Prec::other) + ")"};
}

Expr Writer::convert(const Inst& inst) {
  const TypeId to = result_type(inst);
  const ValueId from = m_.operand(inst, 0);
  if (type_of(from) == to) return value(from);
  if (inst.op == Op::bitcast) return {"as_type<" + type(to) + ">(" + arg(from) + ")"};
  if (inst.op == Op::zext) {
    // Zero extension, whatever the sign of the source type says.
    const TypeId bits_type = m_.types().with_scalar(type_of(from), to_unsigned(m_.types().scalar_of(type_of(from))));
    if (!(bits_type == type_of(from))) return {type(to) + "(as_type<" + type(bits_type) + ">(" + arg(from) + "))"};
  }
  if (inst.op == Op::sext) {
    const TypeId bits_type = m_.types().with_scalar(type_of(from), to_signed(m_.types().scalar_of(type_of(from))));
    if (!(bits_type == type_of(from))) return {type(to) + "(as_type<" + type(bits_type) + ">(" + arg(from) + "))"};
  }
  return {type(to) + "(" + arg(from) + ")"};
}

std::string Writer::index_text(ValueId v) {
  if (v.is_constant()) {
    TextSink out;
    out << m_.types().constant(v.const_id()).bits;
    return out.take();
  }
  return arg(v);
}

std::string Writer::steps(std::string base, TypeId id, std::span<const ValueId> path) {
  for (ValueId step : path) {
    const Type& t = m_.types()[id];
    const uint32_t index = step.is_constant() ? static_cast<uint32_t>(m_.types().constant(step.const_id()).bits) : 0;
    if (t.kind == TypeKind::struct_) {
      base += '.';
      base += member_name(id, index);
    } else if (t.kind == TypeKind::vector && (t.flags & kVectorPacked) == 0 && step.is_constant() && index < 4) {
      base += '.';
      base += kComponents[index];
    } else if (t.kind == TypeKind::bindings && !m_.types().is_handle(t.element)) {
      base += '[' + index_text(step) + ']';
      if (!is_runtime_array(t.element)) base = "(*" + base + ")";
    } else {
      if (t.kind == TypeKind::array && !is_runtime_array(id)) base += ".data";
      base += '[';
      base += index_text(step);
      base += ']';
    }
    id = m_.types().part(id, index);
  }
  return base;
}

Expr Writer::shuffle(const Inst& inst) {
  const ValueId a = m_.operand(inst, 0);
  const ValueId b = m_.operand(inst, 1);
  const uint32_t n = m_.types().component_count(result_type(inst));
  const uint32_t first = m_.types().component_count(type_of(a));
  bool only_first = true;
  for (uint32_t i = 0; i < n; ++i) only_first = only_first && (inst.payload >> (4 * i) & 15u) < first;
  if (only_first && first == 1) return {type(result_type(inst)) + "(" + arg(a) + ")"};
  if (only_first) {
    std::string text = operand(value(a), Prec::primary) + ".";
    for (uint32_t i = 0; i < n; ++i) text += kComponents[inst.payload >> (4 * i) & 15u];
    return {std::move(text)};
  }
  std::string text = type(result_type(inst)) + "(";
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t c = inst.payload >> (4 * i) & 15u;
    const ValueId from = c < first ? a : b;
    if (i != 0) text += ", ";
    text += operand(value(from), Prec::primary);
    if (m_.types().is_vector(type_of(from))) text += "." + std::string(kComponents[c < first ? c : c - first]);
  }
  return {text + ")"};
}

Expr Writer::make(const Inst& inst) {
  const TypeId to = result_type(inst);
  const TypeKind kind = m_.types().kind(to);
  const std::span<const ValueId> ops = m_.operands(inst);
  if (ops.size() == 1 && type_of(ops[0]) == to) return value(ops[0]);
  if (kind != TypeKind::struct_ && kind != TypeKind::array) return call_text(type(to), inst);
  std::string text = type(to) + (kind == TypeKind::array ? " {{" : " {");
  for (size_t i = 0; i < ops.size(); ++i) text += (i == 0 ? "" : ", ") + arg(ops[i]);
  return {text + (kind == TypeKind::array ? "}}" : "}")};
}

Expr Writer::load(const Inst& inst) {
  const ValueId pointer = m_.operand(inst, 0);
  const Type& pointee = m_.types()[m_.types()[type_of(pointer)].element];
  std::string text = accessed(inst);
  if (text[0] == '*') return {std::move(text), Prec::unary};
  // A packed vector has no swizzles or operators of its own.
  if (pointee.kind == TypeKind::vector && (pointee.flags & kVectorPacked)) return {type(result_type(inst)) + "(" + text + ")"};
  return {std::move(text)};
}

std::string Writer::place(ValueId pointer) {
  if (pointer.is_global()) return module_names_.global(pointer.index());
  const ir::InstId definition = fold_->definition(pointer);
  if (!definition) return local_names_[pointer.index()];  // a parameter: a reference
  const Inst& inst = m_.insts[definition];
  if (inst.op == Op::at_byte) return byte_place(inst);
  if (inst.op != Op::at) return local_names_[pointer.index()];
  const std::span<const ValueId> ops = m_.operands(inst);
  return steps(place(ops[0]), m_.types()[type_of(ops[0])].element, ops.subspan(1));
}

/// A T at a byte offset of a byte-address buffer.
std::string Writer::byte_place(const Inst& inst) {
  const Type& p = m_.types()[result_type(inst)];
  const ValueId buffer = m_.operand(inst, 0);
  const std::string space = (is_coherent(buffer) ? "coherent(device) " : "") + std::string(address_space(p));
  const std::string bytes = "(" + space + " char*)" + place(buffer);
  return "(*(" + space + " " + type(p.element) + "*)(" + bytes + " + " + operand(value(m_.operand(inst, 1)), Prec::add, true) +
         "))";
}

}  // namespace carry::write::msl
