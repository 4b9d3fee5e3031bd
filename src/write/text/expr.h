// Text of an expression with its precedence, so that parentheses appear where a reader or the language needs them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace carry::write::text {

/// Classes rather than a full order: WGSL forbids mixing most binary operators without parentheses, and the same output reads
/// well in MSL. `multiply` may stand inside `add`, both inside comparisons; all else is parenthesised.
enum class Prec : uint8_t { primary, unary, multiply, add, other };

struct Expr {
  std::string text;
  Prec prec = Prec::primary;
};

/// `inner` as an operand of an operator of class `outer`.
[[nodiscard]] inline std::string operand(Expr inner, Prec outer, bool is_right = false) {
  bool bare = inner.prec == Prec::primary;
  if (inner.prec == Prec::unary) bare = outer != Prec::unary && outer != Prec::primary;
  if (inner.prec == Prec::multiply) bare = outer == Prec::add || outer == Prec::other || (outer == Prec::multiply && !is_right);
  if (inner.prec == Prec::add) bare = outer == Prec::other || (outer == Prec::add && !is_right);
  if (inner.prec != Prec::primary && outer == Prec::primary) bare = false;
  return bare ? std::move(inner.text) : "(" + inner.text + ")";
}

/// No target has a clamp that is total: `clamp` of WGSL refuses constants with low above high, Metal's leaves that open.
[[nodiscard]] inline std::string clamped(std::string_view min, std::string_view max, const std::string& x,
                                         const std::string& low, const std::string& high) {
  std::string text(min);
  text += "(";
  text += max;
  return text + "(" + x + ", " + low + "), " + high + ")";
}

}  // namespace carry::write::text
