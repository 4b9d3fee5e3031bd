// Which operations convert a value from one type to another, and nothing else.
#pragma once

#include "ops/ops.h"

namespace carry {

[[nodiscard]] constexpr bool is_conversion(Op op) {
  switch (op) {
    case Op::trunc:
    case Op::zext:
    case Op::sext:
    case Op::f_to_s:
    case Op::f_to_u:
    case Op::s_to_f:
    case Op::u_to_f:
    case Op::f_to_f:
    case Op::bitcast: return true;
    default: return false;
  }
}

}  // namespace carry
