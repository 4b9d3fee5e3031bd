// Constants.
#include "base/number_text.h"
#include "write/msl/state.h"

namespace carry::write::msl {

Expr Writer::scalar_constant(ScalarKind s, uint64_t bits) {
  TextSink out;
  switch (s) {
    case ScalarKind::bool_: return {bits ? "true" : "false"};
    case ScalarKind::i8: out << "char(" << int{static_cast<int8_t>(static_cast<uint8_t>(bits))} << ')'; return {out.take()};
    case ScalarKind::i16: out << "short(" << int{static_cast<int16_t>(static_cast<uint16_t>(bits))} << ')'; return {out.take()};
    case ScalarKind::u8: out << "uchar(" << bits << ')'; return {out.take()};
    case ScalarKind::u16: out << "ushort(" << bits << ')'; return {out.take()};
    case ScalarKind::i32: {
      const auto v = static_cast<int32_t>(static_cast<uint32_t>(bits));
      if (v == INT32_MIN) return {"(-2147483647 - 1)"};
      out << v;
      return {out.take(), v < 0 ? Prec::unary : Prec::primary};
    }
    case ScalarKind::i64: {
      const auto v = static_cast<int64_t>(bits);
      if (v == INT64_MIN) return {"(-9223372036854775807l - 1l)"};
      out << v << 'l';
      return {out.take(), v < 0 ? Prec::unary : Prec::primary};
    }
    case ScalarKind::u32: out << bits << 'u'; return {out.take()};
    case ScalarKind::u64: out << bits << "ul"; return {out.take()};
    case ScalarKind::f16: {
      if ((bits & 0x7c00u) == 0x7c00u) {
        out << "as_type<half>(ushort(0x";
        out.hex(bits, 4) << "))";
        return {out.take()};
      }
      std::string digits = shortest_f16(static_cast<uint16_t>(bits));
      const bool negative = digits[0] == '-';
      return {digits + "h", negative ? Prec::unary : Prec::primary};
    }
    default: {
      if ((bits & 0x7f800000u) == 0x7f800000u) {
        out << "as_type<float>(0x";
        out.hex(bits, 8) << "u)";
        return {out.take()};
      }
      std::string digits = shortest_f32(static_cast<uint32_t>(bits));
      const bool negative = digits[0] == '-';
      return {digits + "f", negative ? Prec::unary : Prec::primary};
    }
  }
}

Expr Writer::constant(ConstId id) {
  const Constant c = m_.types().constant(id);
  if (c.kind == Constant::Kind::scalar) return scalar_constant(m_.types().scalar_of(c.type), c.bits);
  const TypeKind kind = m_.types().kind(c.type);
  TextSink out;
  out << type(c.type);
  if (kind == TypeKind::vector && c.kind == Constant::Kind::zero) {
    out << '(' << scalar_constant(m_.types().scalar_of(c.type), 0).text << ')';
    return {out.take()};
  }
  const bool braces = kind == TypeKind::struct_ || kind == TypeKind::array;
  if (c.kind == Constant::Kind::zero) {
    out << (braces ? " {}" : "(0.0f)");
    return {out.take()};
  }
  const std::span<const ConstId> view = m_.types().parts(id);
  const std::vector<ConstId> parts(view.begin(), view.end());
  bool same = kind == TypeKind::vector;
  for (ConstId p : parts) same = same && p == parts[0];
  out << (kind == TypeKind::array ? " {{" : braces ? " {" : "(");
  for (size_t i = 0; i < (same ? 1 : parts.size()); ++i) out << (i == 0 ? "" : ", ") << constant(parts[i]).text;
  out << (kind == TypeKind::array ? "}}" : braces ? "}" : ")");
  return {out.take()};
}

}  // namespace carry::write::msl
