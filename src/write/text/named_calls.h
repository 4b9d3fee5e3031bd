// Operations that text targets spell as a call with the same operands: the names that MSL and WGSL have in common.
#pragma once

#include <string_view>

#include "ops/ops.h"

namespace carry::write::text {

/// A call with the operands of the instruction, and the function's name.
struct NamedCall {
  Op op;
  std::string_view name;
};

inline constexpr NamedCall kCommonCalls[] = {{Op::smin, "min"},
                                             {Op::umin, "min"},
                                             {Op::smax, "max"},
                                             {Op::umax, "max"},
                                             {Op::transpose, "transpose"},
                                             {Op::any, "any"},
                                             {Op::all, "all"},
                                             {Op::sqrt, "sqrt"},
                                             {Op::sin, "sin"},
                                             {Op::cos, "cos"},
                                             {Op::tan, "tan"},
                                             {Op::asin, "asin"},
                                             {Op::acos, "acos"},
                                             {Op::atan, "atan"},
                                             {Op::atan2, "atan2"},
                                             {Op::sinh, "sinh"},
                                             {Op::cosh, "cosh"},
                                             {Op::tanh, "tanh"},
                                             {Op::asinh, "asinh"},
                                             {Op::acosh, "acosh"},
                                             {Op::atanh, "atanh"},
                                             {Op::exp, "exp"},
                                             {Op::exp2, "exp2"},
                                             {Op::log, "log"},
                                             {Op::log2, "log2"},
                                             {Op::pow, "pow"},
                                             {Op::fabs, "abs"},
                                             {Op::floor, "floor"},
                                             {Op::ceil, "ceil"},
                                             {Op::trunc_f, "trunc"},
                                             {Op::fmix, "mix"},
                                             {Op::step, "step"},
                                             {Op::smoothstep, "smoothstep"},
                                             {Op::fma, "fma"},
                                             {Op::ldexp, "ldexp"},
                                             {Op::dot, "dot"},
                                             {Op::cross, "cross"},
                                             {Op::length, "length"},
                                             {Op::distance, "distance"},
                                             {Op::normalize, "normalize"},
                                             {Op::reflect, "reflect"},
                                             {Op::refract, "refract"},
                                             {Op::determinant, "determinant"},
                                             {Op::fwidth, "fwidth"}};

/// Its name in `calls`; empty: none.
template <size_t n>
[[nodiscard]] std::string_view named_call(const NamedCall (&calls)[n], Op op) {
  for (const NamedCall& call : calls) {
    if (call.op == op) return call.name;
  }
  return {};
}

/// Its name in a target's own table, else the common one; empty: none.
template <size_t n>
[[nodiscard]] std::string_view call_name(const NamedCall (&own)[n], Op op) {
  const std::string_view name = named_call(own, op);
  return name.empty() ? named_call(kCommonCalls, op) : name;
}

}  // namespace carry::write::text
