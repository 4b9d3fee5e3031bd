// What depends on specialization constants as a value that is known at run time only. Where such constants form
// override-expressions (WGSL), the target computes them when the pipeline is made and refuses operands outside of an
// operation's domain; what is read from a variable is never computed before.
#pragma once

#include "ir/builder.h"

namespace carry::pass {

/// A variable that holds the value of a specialization constant.
[[nodiscard]] inline ir::ValueId run_time_variable(ir::Builder& b, ir::ValueId value) {
  return b.var(b.type_of(value), value, b.module().globals[value.global_id()].name);
}

/// The value of a specialization constant through a variable of its own; others are themselves.
[[nodiscard]] inline ir::ValueId run_time_value(ir::Builder& b, ir::ValueId value) {
  return value.is_global() ? b.load(run_time_variable(b, value)) : value;
}

}  // namespace carry::pass
