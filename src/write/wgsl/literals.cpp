// Constants. Every number carries a suffix or sits in a constructor, so that no abstract arithmetic is left to the reader.
#include "base/number_text.h"
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

namespace {

bool is_finite(ScalarKind s, uint64_t bits) {
  if (s == ScalarKind::f16) return (bits & 0x7c00u) != 0x7c00u;
  return (bits & 0x7f800000u) != 0x7f800000u;
}

bool is_negative_zero(ScalarKind s, uint64_t bits) { return bits == (s == ScalarKind::f16 ? 0x8000u : 0x80000000u); }

}  // namespace

Expr Writer::scalar_constant(ScalarKind s, uint64_t bits) {
  TextSink out;
  switch (s) {
    case ScalarKind::bool_: return {bits ? "true" : "false"};
    case ScalarKind::i32: {
      const auto v = static_cast<int32_t>(static_cast<uint32_t>(bits));
      if (v == INT32_MIN) return {"i32(-2147483648)"};  // -2147483648i is out of range before the minus applies
      out << v << 'i';
      return {out.take(), v < 0 ? Prec::unary : Prec::primary};
    }
    case ScalarKind::u32: out << bits << 'u'; return {out.take()};
    case ScalarKind::f16:
    case ScalarKind::f32: {
      if (!is_finite(s, bits) || (fn_ != nullptr && is_negative_zero(s, bits))) {
        // A constant expression that gives NaN or infinity is an error, and one that gives -0 may give +0 (Tint does): go
        // through a `let`, which is none.
        uses_f16_ = uses_f16_ || s == ScalarKind::f16;
        size_t i = 0;
        while (i < hidden_bits_.size() && hidden_bits_[i] != (bits | uint64_t{s == ScalarKind::f16} << 32)) ++i;
        if (i == hidden_bits_.size()) hidden_bits_.push_back(bits | uint64_t{s == ScalarKind::f16} << 32);
        out << (s == ScalarKind::f16 ? "f16(unpack2x16float(bits_of_" : "bitcast<f32>(bits_of_");
        out.hex(bits, s == ScalarKind::f16 ? 4 : 8);
        out << (s == ScalarKind::f16 ? ").x)" : ")");
        return {out.take()};
      }
      const bool half = s == ScalarKind::f16;
      if (half) uses_f16_ = true;
      std::string digits = half ? shortest_f16(static_cast<uint16_t>(bits)) : shortest_f32(static_cast<uint32_t>(bits));
      const bool negative = digits[0] == '-';
      // The shortest digits of the largest number lie above it as a double, which Tint refuses.
      if ((bits & 0x7fffffffu) == 0x7f7fffffu) digits = negative ? "-3.4028234e+38" : "3.4028234e+38";
      digits.push_back(half ? 'h' : 'f');
      return {std::move(digits), negative ? Prec::unary : Prec::primary};
    }
    default: out << bits; return {out.take()};
  }
}

Expr Writer::constant(ConstId id) {
  const Constant c = m_.types().constant(id);
  if (c.kind == Constant::Kind::scalar) return scalar_constant(m_.types().scalar_of(c.type), c.bits);
  TextSink out;
  out << type(c.type) << '(';
  if (c.kind == Constant::Kind::composite) {
    const std::span<const ConstId> parts = m_.types().parts(id);
    bool same = m_.types().is_vector(c.type);
    for (ConstId p : parts) same = same && p == parts[0];
    for (size_t i = 0; i < (same ? 1 : parts.size()); ++i) out << (i == 0 ? "" : ", ") << constant(parts[i]).text;
  }
  out << ')';
  return {out.take()};
}

}  // namespace carry::write::wgsl
