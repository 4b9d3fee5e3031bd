/// 8- and 16-bit integers are computed in 32 bits: a value is the sign- or zero-extended one, and what can leave the narrow
/// range is cut after each operation, so that it wraps as before. Buffers hold such integers no more (buffers_to_words).
///   before  %s = add %x, %y                                     (u8)
///   after   %t = add %x, %y   %s = and %t, 255u                 (u32)
#include <algorithm>
#include <string>

#include "pass/build.h"
#include "pass/retype_values.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::ValueId;

constexpr uint32_t kRaw = static_cast<uint32_t>(ArithmeticVariant::raw);

bool is_small(ScalarKind s) {
  return s == ScalarKind::i8 || s == ScalarKind::u8 || s == ScalarKind::i16 || s == ScalarKind::u16;
}
ScalarKind wide(ScalarKind s) { return is_signed_int(s) ? ScalarKind::i32 : ScalarKind::u32; }

class WidenSmallInts : public RetypeValues {
 public:
  using RetypeValues::RetypeValues;

 protected:
  TypeId plain_type(TypeId type) override {
    const ScalarKind s = types().scalar_of(type);
    return is_small(s) ? types().with_scalar(type, wide(s)) : type;
  }

  ConstId plain_constant(ConstId id) override {
    const Constant c = types().constant(id);
    const ScalarKind s = types().scalar_of(c.type);
    const uint32_t unused = 32 - scalar_bits(s);
    uint32_t bits = static_cast<uint32_t>(c.bits) << unused;
    bits = is_signed_int(s) ? static_cast<uint32_t>(static_cast<int32_t>(bits) >> unused) : bits >> unused;
    return types().constant_bits(mapped(c.type), bits);
  }

  bool compute(const Inst& inst) override {
    const ScalarKind to =
        inst.result_count != 0 && inst.result_count < 2 ? types().scalar_of(result_type(inst)) : ScalarKind::none;
    const ScalarKind from = inst.operands.count != 0 ? types().scalar_of(old_type(m().operand(inst, 0))) : ScalarKind::none;
    if (!is_small(to) && !is_small(from)) return false;
    switch (inst.op) {
      case Op::trunc:
      case Op::zext:
      case Op::sext: return integer(inst, from, to);
      case Op::bitcast: return bitcast(inst, from, to);
      case Op::f_to_s:
      case Op::f_to_u: return from_float(inst, to);
      default: break;
    }
    return is_small(from) && arithmetic(inst, from);
  }

 private:
  ValueId like(ValueId v, uint32_t bits) { return bits_like(b(), type_of(v), bits); }
  ValueId counts(ValueId v, uint32_t bits) { return bits_like(b(), types().with_scalar(type_of(v), ScalarKind::u32), bits); }

  /// The extended value of the low bits of a 32-bit one.
  ValueId cut(ValueId v, ScalarKind s) {
    const uint32_t width = scalar_bits(s);
    if (!is_signed_int(s)) return b().binary(Op::and_, v, like(v, (1u << width) - 1));
    const ValueId unused = counts(v, 32 - width);
    return b().binary(Op::ashr, b().binary(Op::shl, v, unused, kRaw), unused, kRaw);
  }
  /// The low bits alone.
  ValueId bits_only(ValueId v, ScalarKind s) {
    return is_signed_int(s) ? b().binary(Op::and_, v, like(v, (1u << scalar_bits(s)) - 1)) : v;
  }
  ValueId as(ValueId v, ScalarKind s) {
    const TypeId type = types().with_scalar(type_of(v), s);
    return type == type_of(v) ? v : b().convert(Op::bitcast, type, v);
  }

  /// Between integers of different widths.
  bool integer(const Inst& inst, ScalarKind from, ScalarKind to) {
    ValueId v = value(inst, 0);
    if (is_small(from) && inst.op == Op::zext) v = bits_only(v, from);
    if (is_small(from) && inst.op == Op::sext && !is_signed_int(from)) v = cut(as(v, ScalarKind::i32), to_signed(from));
    const ScalarKind result = is_small(to) ? wide(to) : to;
    if (scalar_bits(is_small(from) ? wide(from) : from) != scalar_bits(result)) {
      const TypeId type = types().with_scalar(type_of(v), result);
      v = b().convert(inst.op, type, v);
    }
    v = as(v, result);
    replace(inst, 0, is_small(to) && (inst.op == Op::trunc || inst.op == Op::sext) ? cut(v, to) : v);
    return true;
  }

  /// Saturating in the narrow range (the total variant), or any value of it.
  bool from_float(const Inst& inst, ScalarKind to) {
    const TypeId type = mapped(result_type(inst));
    ValueId v = b().emit(inst.op, type, {value(inst, 0)}, inst.payload, inst.flags);
    const uint32_t width = scalar_bits(to);
    if (inst.payload == kRaw) {
      v = cut(v, to);
    } else if (is_signed_int(to)) {
      const ValueId low = bits_like(b(), type, ~0u << (width - 1)), high = bits_like(b(), type, (1u << (width - 1)) - 1);
      v = b().binary(Op::smin, b().binary(Op::smax, v, low), high);
    } else {
      v = b().binary(Op::umin, v, bits_like(b(), type, (1u << width) - 1));
    }
    replace(inst, 0, v);
    return true;
  }

  // ---- bitcast ----
  std::vector<ValueId> components(ValueId v) {
    const uint32_t count = types().component_count(type_of(v));
    if (count == 1) return {v};
    std::vector<ValueId> list;
    for (uint32_t i = 0; i < count; ++i) list.push_back(b().elem(v, i));
    return list;
  }

  /// The bits of one component as u32 (widths of at most 32).
  ValueId word_of(ValueId v, ScalarKind s) {
    if (s == ScalarKind::f16) {
      const ValueId parts[2] = {v, b().zero(TypeId::f16)};
      return b().convert(Op::bitcast, TypeId::u32, b().make(types().vector(ScalarKind::f16, 2), parts));
    }
    return is_small(s) ? as(bits_only(v, s), ScalarKind::u32) : as(v, ScalarKind::u32);
  }
  /// A component from its bits, which may have others above them.
  ValueId from_word(ValueId word, ScalarKind s) {
    if (s == ScalarKind::f16) {
      const ValueId pair = b().convert(Op::bitcast, types().vector(ScalarKind::f16, 2), word);
      return b().elem(pair, 0);
    }
    return is_small(s) ? cut(as(word, wide(s)), s) : as(word, s);
  }

  bool bitcast(const Inst& inst, ScalarKind from, ScalarKind to) {
    const TypeId old_to = result_type(inst);
    const ValueId x = value(inst, 0);
    if (is_small(from) && is_small(to) && scalar_bits(from) == scalar_bits(to)) {
      replace(inst, 0, from == to ? x : cut(as(x, wide(to)), to));
      return true;
    }
    const uint32_t have = scalar_bits(from), want = scalar_bits(to);
    if (have > 32 || want > 32) return refuse(inst);
    std::vector<ValueId> parts;
    const std::vector<ValueId> list = components(x);
    const uint32_t count = types().component_count(old_to);
    for (uint32_t i = 0; i < count; ++i) {
      ValueId word;
      for (uint32_t bit = i * want; bit < (i + 1) * want; bit += std::min(have, want)) {
        ValueId piece = word_of(list[bit / have], from);
        if (bit % have != 0) piece = b().binary(Op::lshr, piece, b().const_u32(bit % have), kRaw);
        const uint32_t up = bit - i * want;
        if (up != 0) piece = b().binary(Op::shl, piece, b().const_u32(up), kRaw);
        word = word ? b().binary(Op::or_, word, piece) : piece;
      }
      parts.push_back(from_word(word, to));
    }
    replace(inst, 0, count == 1 ? parts[0] : b().make(mapped(old_to), parts));
    return true;
  }

  // ---- arithmetic ----
  bool refuse(const Inst& inst) {
    if (!context_.failed)
      context_.error(inst.loc, diag::not_supported_yet,
                     "operation `" + std::string(op_row(inst.op).name) + "` on 8- or 16-bit integers");
    for (uint32_t i = 0; i < inst.result_count; ++i) replace(inst, i, b().zero(mapped(result_type(inst, i))));
    return true;
  }

  bool keep_cut(const Inst& inst, ScalarKind s) {
    const ir::InstId id = keep_mapped(inst);
    replace(inst, 0, cut(m().result(m().insts[id]), s));
    return true;
  }

  /// The count is masked by the narrow width.
  bool shift(const Inst& inst, ScalarKind s) {
    const ValueId x = value(inst, 0);
    ValueId count = value(inst, 1);
    if (inst.payload != kRaw) count = b().binary(Op::and_, count, bits_like(b(), type_of(count), scalar_bits(s) - 1));
    const ValueId v = b().emit(inst.op, type_of(x), {x, count}, kRaw, inst.flags);
    replace(inst, 0, inst.op == Op::shl ? cut(v, s) : v);
    return true;
  }

  /// Offset and count are clamped to the narrow width, then it is the same in 32 bits.
  bool bit_field(const Inst& inst, ScalarKind s) {
    std::vector<ValueId> operands = values(inst);
    const size_t first = operands.size() - 2;
    const ValueId width = bits_like(b(), type_of(operands[first]), scalar_bits(s));
    if (inst.payload != kRaw) {
      operands[first] = b().binary(Op::umin, operands[first], width);
      operands[first + 1] = b().binary(Op::umin, operands[first + 1], b().binary(Op::sub, width, operands[first]));
    }
    const ValueId v = b().emit(inst.op, type_of(operands[0]), operands, inst.payload, inst.flags);
    replace(inst, 0, inst.op == Op::insert_bits ? cut(v, s) : v);
    return true;
  }

  bool bits(const Inst& inst, ScalarKind s) {
    const ValueId x = value(inst, 0);
    ValueId v = b().emit(inst.op, type_of(x), {bits_only(x, s)}, inst.payload, inst.flags);
    if (inst.op == Op::reverse_bits) {
      const ValueId down = b().binary(Op::lshr, as(v, ScalarKind::u32), counts(v, 32 - scalar_bits(s)), kRaw);
      v = as(down, wide(s));
    }
    replace(inst, 0, inst.op == Op::bit_count ? v : cut(v, s));
    return true;
  }

  bool arithmetic(const Inst& inst, ScalarKind s) {
    switch (inst.op) {
      case Op::neg: {
        const ValueId x = value(inst, 0);
        replace(inst, 0, cut(b().binary(Op::sub, b().zero(type_of(x)), x), s));
        return true;
      }
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::abs_s:
      case Op::not_:
      case Op::sdiv:
      case Op::udiv:
      case Op::srem:
      case Op::urem:
      case Op::smod:
      case Op::find_msb_s:
      case Op::find_msb_u: return keep_cut(inst, s);
      case Op::shl:
      case Op::lshr:
      case Op::ashr: return shift(inst, s);
      case Op::extract_bits_s:
      case Op::extract_bits_u:
      case Op::insert_bits: return bit_field(inst, s);
      case Op::bit_count:
      case Op::reverse_bits:
      case Op::find_lsb: return bits(inst, s);
      case Op::subgroup: {
        const ir::SubgroupInfo info = ir::SubgroupInfo::unpack(inst.payload);
        // The first lane's exclusive minimum is the largest number of the type.
        return info.form == ir::SubgroupForm::reduce || info.op == ir::SubgroupOp::add ? keep_cut(inst, s) : refuse(inst);
      }
      case Op::uadd_carry:
      case Op::usub_borrow:
      case Op::umul_extended:
      case Op::smul_extended: return refuse(inst);
      default: break;
    }
    if (has_trait(inst.op, kAtomic)) return refuse(inst);
    return false;  // results stay in range, or have no such type
  }
};

}  // namespace

void widen_small_ints(PassContext& context) {
  for (ir::GlobalId id : context.module.global_order) {
    const ir::Global& g = context.module.globals[id];
    const bool io = g.space == Space::in || g.space == Space::out;
    if ((!io && g.kind == ir::GlobalKind::variable) || !is_small(context.module.types().scalar_of(g.value_type))) continue;
    context.error(g.loc, diag::not_supported_yet,
                  io ? "8- or 16-bit integers between stages" : "specialization constants of 8 or 16 bits");
    return;
  }
  WidenSmallInts(context).run_all();
}

}  // namespace carry::pass
