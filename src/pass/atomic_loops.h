// Compare-exchange loops that replace atomic operations a target lacks. Loops carry no values: they go through variables,
// so the result is in text form.
#pragma once

#include "ir/builder.h"

namespace carry::pass {

/// `old`, the strong form: loops until exchanged or really different (semantics.md 6.3).
ir::ValueId emit_strong_cas(ir::Builder& b, ir::ValueId pointer, ir::ValueId expected, ir::ValueId value, uint32_t info);

/// What one round stores, from what it read (in the memory's type).
using UpdateFn = ir::ValueId (*)(ir::Builder& b, ir::ValueId current, ir::ValueId operand, Op op);

/// Read, compute, exchange until it succeeds (6.5). Memory of 32 or 64 bits; floats are compared by their bits, since a NaN
/// never equals itself. Gives the old value in the memory's type.
ir::ValueId emit_update_loop(ir::Builder& b, ir::ValueId pointer, ir::ValueId operand, Op op, uint32_t info, UpdateFn update);

}  // namespace carry::pass
