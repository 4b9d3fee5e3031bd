// Expressions: operators, conversions, composite values, built-in functions, memory paths.
#include "ops/conversions.h"
#include "write/text/named_calls.h"
#include "write/text/spelled.h"
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

using ir::Inst;
using ir::ValueId;

namespace {

constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};

/// Operations that are a function call with the same operands, besides those of `text::kCommonCalls`.
constexpr text::NamedCall kCalls[] = {{Op::abs_s, "abs"},
                                      {Op::sign_s, "sign"},
                                      {Op::bit_count, "countOneBits"},
                                      {Op::reverse_bits, "reverseBits"},
                                      {Op::find_msb_s, "firstLeadingBit"},
                                      {Op::find_msb_u, "firstLeadingBit"},
                                      {Op::find_lsb, "firstTrailingBit"},
                                      {Op::extract_bits_s, "extractBits"},
                                      {Op::extract_bits_u, "extractBits"},
                                      {Op::insert_bits, "insertBits"},
                                      {Op::fmin, "min"},
                                      {Op::fmax, "max"},
                                      {Op::inverse_sqrt, "inverseSqrt"},
                                      {Op::fsign, "sign"},
                                      {Op::round_even, "round"},
                                      {Op::fract, "fract"},
                                      {Op::radians, "radians"},
                                      {Op::degrees, "degrees"},
                                      {Op::faceforward, "faceForward"},
                                      {Op::pack_half2x16, "pack2x16float"},
                                      {Op::unpack_half2x16, "unpack2x16float"},
                                      {Op::pack_snorm4x8, "pack4x8snorm"},
                                      {Op::unpack_snorm4x8, "unpack4x8snorm"},
                                      {Op::pack_unorm4x8, "pack4x8unorm"},
                                      {Op::unpack_unorm4x8, "unpack4x8unorm"},
                                      {Op::pack_snorm2x16, "pack2x16snorm"},
                                      {Op::unpack_snorm2x16, "unpack2x16snorm"},
                                      {Op::pack_unorm2x16, "pack2x16unorm"},
                                      {Op::unpack_unorm2x16, "unpack2x16unorm"},
                                      {Op::dot4_u8, "dot4U8Packed"},
                                      {Op::dot4_i8, "dot4I8Packed"},
                                      {Op::dpdx, "dpdx"},
                                      {Op::dpdy, "dpdy"},
                                      {Op::dpdx_fine, "dpdxFine"},
                                      {Op::dpdy_fine, "dpdyFine"},
                                      {Op::fwidth_fine, "fwidthFine"},
                                      {Op::dpdx_coarse, "dpdxCoarse"},
                                      {Op::dpdy_coarse, "dpdyCoarse"},
                                      {Op::fwidth_coarse, "fwidthCoarse"}};

bool is_spelled(Op op) {
  const OpRow& row = op_row(op);
  if (row.traits & (kControl | kTerminator)) return op != Op::fallthrough;
  if (row.traits & kAtomic)
    return op != Op::atomic_cas && op != Op::atomic_fadd && op != Op::atomic_fmin && op != Op::atomic_fmax;
  if (row.traits & kImage) return op != Op::query_lod;
  if ((row.traits & kLanes) && !(row.traits & kDerivative)) return is_subgroup_spelling(op);
  if (!text::call_name(kCalls, op).empty()) return true;
  return op == Op::array_length || text::is_core_operation(op);
}

}  // namespace

ir::InstId first_unwritable(const ir::Module& module) { return text::first_unspelled(module, is_spelled); }

Expr Writer::value(ValueId v) {
  if (v.is_constant()) return v == at_run_time_ ? run_time_constant(v.const_id()) : constant(v.const_id());
  if (v.is_global()) {
    // Overrides are scalars: what is wider is computed at its use.
    const auto wide = wide_overrides_.find(v.index());
    return wide == wide_overrides_.end() ? Expr{module_names_.global(v.index())} : expression(m_.insts[wide->second]);
  }
  if (fold_ != nullptr && fold_->folded(v)) return expression(m_.insts[fold_->definition(v)]);
  return {local_names_[v.index()]};
}

Expr Writer::binary(const Inst& inst, std::string_view op, Prec prec) {
  // Shifts and bit operators take no other operators as operands without parentheses.
  const bool bits = prec == Prec::other && op.find_first_of("=!") == op.npos && op != "<" && op != "&&" && op != "||";
  const Prec inner = bits ? Prec::unary : prec;
  std::string text = operand(value(m_.operand(inst, 0)), inner);
  text += ' ';
  text += op;
  text += ' ';
  text += operand(second_operand(inst), inner, !bits);
  return {std::move(text), prec};
}

Expr Writer::call_text(std::string_view function, const Inst& inst) {
  std::string text(function);
  text += '(';
  const std::span<const ValueId> ops = m_.operands(inst);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (i != 0) text += ", ";
    text += arg(ops[i]);
  }
  text += ')';
  return {std::move(text)};
}

Expr Writer::expression(const Inst& inst) {
  const ValueId outer = at_run_time_;
  at_run_time_ = run_time_operand(inst);
  Expr result = operation(inst);
  at_run_time_ = outer;
  return result;
}

Expr Writer::operation(const Inst& inst) {
  const OpRow& row = op_row(inst.op);
  if (row.traits & kAtomic) return atomic(inst);
  if (row.traits & kImage) return image(inst);
  if ((row.traits & kLanes) && !(row.traits & kDerivative)) return subgroup(inst);
  if (is_conversion(inst.op)) return convert(inst);
  const auto prefix = [&](std::string_view op) -> Expr {
    return {std::string(op) + operand(value(m_.operand(inst, 0)), Prec::unary), Prec::unary};
  };
  const bool logical = inst.operands.count != 0 && m_.types().scalar_of(type_of(m_.operand(inst, 0))) == ScalarKind::bool_;
  const bool one_bool = logical && m_.types().is_scalar(type_of(m_.operand(inst, 0)));
  switch (inst.op) {
    case Op::add:
    case Op::fadd: return binary(inst, "+", Prec::add);
    case Op::sub:
    case Op::fsub: return binary(inst, "-", Prec::add);
    case Op::mul:
    case Op::fmul:
    case Op::mat_mul:
    case Op::mat_vec:
    case Op::vec_mat:
    case Op::mat_scale: return binary(inst, "*", Prec::multiply);
    case Op::sdiv:
    case Op::udiv:
    case Op::fdiv: return binary(inst, "/", Prec::multiply);
    case Op::srem:
    case Op::urem:
    case Op::frem: return binary(inst, "%", Prec::multiply);
    case Op::neg:
    case Op::fneg: return negate(inst);
    case Op::shl: return binary(inst, "<<", Prec::other);
    case Op::lshr:
    case Op::ashr: return binary(inst, ">>", Prec::other);
    case Op::and_: return binary(inst, one_bool ? "&&" : "&", Prec::other);
    case Op::or_: return binary(inst, one_bool ? "||" : "|", Prec::other);
    case Op::xor_: return binary(inst, logical ? "!=" : "^", Prec::other);
    case Op::not_: return prefix(logical ? "!" : "~");
    case Op::eq:
    case Op::feq: return binary(inst, "==", Prec::other);
    case Op::ne: return binary(inst, "!=", Prec::other);
    case Op::fne:  // true for NaN, which `!=` of Tint and naga is not
      return {"!(" + binary(inst, "==", Prec::other).text + ")", Prec::unary};
    case Op::slt:
    case Op::ult:
    case Op::flt: return binary(inst, "<", Prec::other);
    case Op::sle:
    case Op::ule:
    case Op::fle: return binary(inst, "<=", Prec::other);
    case Op::sclamp:
    case Op::uclamp:
    case Op::fclamp: return clamp(inst, "min", "max");
    case Op::select:
      return {"select(" + arg(m_.operand(inst, 2)) + ", " + arg(m_.operand(inst, 1)) + ", " + arg(m_.operand(inst, 0)) + ")"};
    case Op::elem: return element(inst);
    case Op::shuffle: return shuffle(inst);
    case Op::make: return make(inst);
    case Op::load: return {place(m_.operand(inst, 0))};
    case Op::array_length: return {"arrayLength(" + address(m_.operand(inst, 0)) + ")"};
    case Op::call: return call_text(module_names_.function(ir::FunctionId(inst.payload)), inst);
    default: return builtin(inst);
  }
}

Expr Writer::clamp(const Inst& inst, std::string_view min, std::string_view max) {
  return {text::clamped(min, max, arg(m_.operand(inst, 0)), arg(m_.operand(inst, 1)), arg(m_.operand(inst, 2)))};
}

Expr Writer::builtin(const Inst& inst) {
  const std::string_view name = text::call_name(kCalls, inst.op);
  if (!name.empty()) {
    const Op op = inst.op;
    if (op == Op::dot && m_.types().is_scalar(type_of(m_.operand(inst, 0)))) return binary(inst, "*", Prec::multiply);
    if (op == Op::extract_bits_s || op == Op::extract_bits_u || op == Op::insert_bits) return bit_field(name, inst);
    return call_text(name, inst);
  }
  CARRY_CHECK(false);  // the target row says that it lacks this op: expand_ops removed it
  return call_text(op_row(inst.op).name, inst);
}

Expr Writer::convert(const Inst& inst) {
  const TypeId to = result_type(inst);
  const ValueId from = m_.operand(inst, 0);
  if (type_of(from) == to) return value(from);
  if (inst.op != Op::bitcast) return {type(to) + "(" + arg(from) + ")"};
  const ScalarKind before = m_.types().scalar_of(type_of(from)), after = m_.types().scalar_of(to);
  if ((before == ScalarKind::f16) != (after == ScalarKind::f16)) return half_pair(inst, after);
  return {"bitcast<" + type(to) + ">(" + arg(from) + ")"};
}

/// Between a word and two halves: naga has no such `bitcast`, and packing moves every number unchanged.
Expr Writer::half_pair(const Inst& inst, ScalarKind after) {
  uses_f16_ = true;
  const TypeId to = result_type(inst);
  const ValueId from = m_.operand(inst, 0);
  const bool wide = m_.types().component_count(type_of(from)) + m_.types().component_count(to) > 3;
  const std::string x = wide ? operand(value(from), Prec::primary) : arg(from);
  if (after == ScalarKind::f16) {
    const bool word = m_.types().scalar_of(type_of(from)) == ScalarKind::u32;
    const auto half = [&](const std::string& bits) {
      return "unpack2x16float(" + (word ? bits : "bitcast<u32>(" + bits + ")") + ")";
    };
    if (!wide) return {"vec2<f16>(" + half(x) + ")"};
    return {"vec4<f16>(vec4<f32>(" + half(x + ".x") + ", " + half(x + ".y") + "))"};
  }
  const auto pack = [](const std::string& pair) { return "pack2x16float(vec2<f32>(" + pair + "))"; };
  std::string text = wide ? "vec2<u32>(" + pack(x + ".xy") + ", " + pack(x + ".zw") + ")" : pack(x);
  if (after != ScalarKind::u32) text = "bitcast<" + type(to) + ">(" + text + ")";
  return {std::move(text)};
}

Expr Writer::element(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  if (leaves(type_of(ops[0]), ops.subspan(1))) return constant(m_.types().zero(result_type(inst)));
  return {steps(operand(value(ops[0]), Prec::primary), type_of(ops[0]), ops.subspan(1))};
}

std::string Writer::steps(std::string base, TypeId id, std::span<const ValueId> path) {
  for (ValueId step : path) {
    const Type& t = m_.types()[id];
    const uint32_t index = step.is_constant() ? fitting_index(id, step) : 0;
    if (t.kind == TypeKind::struct_) {
      base += '.';
      base += member_name(id, index);
    } else if (t.kind == TypeKind::vector && step.is_constant() && index < 4) {
      base += '.';
      base += kComponents[index];
    } else {
      base += '[';
      base += step.is_constant() ? std::to_string(index) + (index > 0x7fffffffu ? "u" : "") : arg(step);
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
  const auto component = [&](uint32_t c) {
    const ValueId from = c < first ? a : b;
    return operand(value(from), Prec::primary) + "." + std::string(kComponents[c < first ? c : c - first]);
  };
  if (only_first) {
    if (first == 1) return {type(result_type(inst)) + "(" + arg(a) + ")"};
    std::string text = operand(value(a), Prec::primary) + ".";
    for (uint32_t i = 0; i < n; ++i) text += kComponents[inst.payload >> (4 * i) & 15u];
    return {std::move(text)};
  }
  std::string text = type(result_type(inst)) + "(";
  for (uint32_t i = 0; i < n; ++i) {
    if (i != 0) text += ", ";
    text += component(inst.payload >> (4 * i) & 15u);
  }
  return {text + ")"};
}

Expr Writer::make(const Inst& inst) {
  const TypeId to = result_type(inst);
  if (inst.operands.count == 1 && type_of(m_.operand(inst, 0)) == to) return value(m_.operand(inst, 0));
  return call_text(type(to), inst);
}

std::string Writer::place(ValueId pointer) {
  if (pointer.is_global()) return module_names_.global(pointer.index());
  const ir::InstId definition = fold_->definition(pointer);
  if (!definition) {  // a parameter
    return "(*" + local_names_[pointer.index()] + ")";
  }
  const Inst& inst = m_.insts[definition];
  if (inst.op != Op::at) return local_names_[pointer.index()];
  const std::span<const ValueId> ops = m_.operands(inst);
  return steps(place(ops[0]), m_.types()[type_of(ops[0])].element, ops.subspan(1));
}

std::string Writer::address(ValueId pointer) {
  if (pointer.is_local() && !fold_->definition(pointer)) return local_names_[pointer.index()];
  return "&" + place(pointer);
}

}  // namespace carry::write::wgsl
