// HLSL bit fields: some bits of an integer member. Reading shifts them out; writing keeps the other bits as they are.
#include "lower/function_lowering.h"

namespace carry::lower {

namespace {
constexpr auto kRaw = static_cast<uint32_t>(ArithmeticVariant::raw);
}

ValueId FunctionLowering::extract_field(ValueId unit, uint32_t low, uint32_t width) {
  const ScalarKind s = types_.scalar_of(b_.type_of(unit));
  const uint32_t bits = scalar_bits(s);
  if (width == bits) return unit;
  const ValueId up = b_.binary(Op::shl, unit, u32(bits - low - width), kRaw);
  return b_.binary(is_signed_int(s) ? Op::ashr : Op::lshr, up, u32(bits - width), kRaw);
}

ValueId FunctionLowering::insert_field(ValueId unit, ValueId field, uint32_t low, uint32_t width) {
  const TypeId type = b_.type_of(unit);
  if (width == scalar_bits(types_.scalar_of(type))) return field;
  const uint64_t mask = (uint64_t{1} << width) - 1;
  const ValueId kept = b_.binary(Op::and_, unit, const_int(type, static_cast<int64_t>(~(mask << low))));
  const ValueId own = b_.binary(Op::and_, field, const_int(type, static_cast<int64_t>(mask)));
  return b_.binary(Op::or_, kept, b_.binary(Op::shl, own, u32(low), kRaw));
}

void FunctionLowering::step_bits(Place& p, NodeId n) {
  const NodeFact& f = fact(n);
  const uint32_t low = f.extra >> 8, width = f.extra & 255u;
  const TypeId object = types_.kind(p.type) == TypeKind::object ? types_[p.type].element : p.type;
  step_member(p, object, f.index);
  if (p.kind == Place::Kind::value) {
    p.base = extract_field(p.base, low, width);
    return;
  }
  p.kind = Place::Kind::bits;
  p.low = static_cast<uint8_t>(low);
  p.width = static_cast<uint8_t>(width);
}

}  // namespace carry::lower
