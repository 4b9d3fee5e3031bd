// Hot scalar operations as loops over rows. They agree bit for bit with ops/eval, which does all others. Internal to exec/.
#pragma once

#include "exec/machine.h"

namespace carry::exec {

/// Loop for `op` on scalars of `kind` (that of operand 0); nullptr when there is none and ops/eval does it.
/// Code: dst, operands a, b, c; n components.
[[nodiscard]] Handler integer_handler(Op op, ScalarKind kind, ArithmeticVariant variant);
[[nodiscard]] Handler float_handler(Op op, ScalarKind kind);
/// `from` -> `to`.
[[nodiscard]] Handler convert_handler(Op op, ScalarKind from, ScalarKind to);
/// aux: word step between the components of the condition (0: one scalar).
[[nodiscard]] Handler select_handler(bool wide);
void op_any(Machine& m, const Code& code);
void op_all(Machine& m, const Code& code);
/// Dynamic index (row b) into n equal parts (row a), `aux` row units apart. Out of range: zero.
[[nodiscard]] Handler elem_dynamic_handler(bool wide);
/// dst is already a copy of the whole; row a = index, row b = part, as above.
[[nodiscard]] Handler with_dynamic_handler(bool wide);

/// Guards: before an operation, on the active lanes. aux: GuardKind | kind << 8 | (1 << 16 if raw: fault, else report).
enum class GuardKind : uint8_t { divide_signed, divide_unsigned, shift, float_to_signed, float_to_unsigned, bits };
void op_guard(Machine& m, const Code& code);
void op_guard_nan(Machine& m, const Code& code);  // a: result, b and c: operands; aux: their scalar kind

}  // namespace carry::exec
