// Emits what the tables of built-in functions say: operations and expansions (ops/expand.h) into a Builder.
#pragma once

#include <span>
#include <vector>

#include "ir/builder.h"
#include "ops/builtins.h"
#include "ops/expand.h"

namespace carry::ir {

/// `args`: one value for each parameter that is not `out` (a pointer for `ref`), of the types that the bindings give.
/// Appends to `results`: the value of the form if it has one, then the out parameters in order. False when a parameter
/// that must be constant is not. With a target, what it lacks is expanded in turn.
bool emit_expansion(Builder& builder, const builtins::Expansion& expansion, const builtins::Bindings& bindings,
                    std::span<const ValueId> args, std::vector<ValueId>& results, uint8_t flags = 0,
                    const builtins::ExpandTarget* target = nullptr);

/// The same for a form whose action is an operation or an expansion; false for hooks. HLSL matrices (patterns `T.S`)
/// are done column by column; matrices of other scalars than floats are arrays of vectors.
bool emit_form(Builder& builder, const builtins::Form& form, const builtins::Bindings& bindings, std::span<const ValueId> args,
               std::vector<ValueId>& results, uint8_t flags = 0);

/// Is there a way to compute `op` on operands of these types for a target that lacks it? What emit_target_expansion then does.
[[nodiscard]] bool has_target_expansion(TypeTable& types, Op op, builtins::ExpandTarget target,
                                        std::span<const TypeId> operands);
/// Emits `op` by operations that the target has (expansions in expansions included). `results`: as many as the op has. False, and
/// nothing emitted, if there is no way: see has_target_expansion.
bool emit_target_expansion(Builder& builder, Op op, builtins::ExpandTarget target, std::span<const ValueId> operands,
                           std::vector<ValueId>& results, uint8_t flags = 0);

/// Type of a matrix value in the IR: floats a matrix, others an array of `columns` vectors.
TypeId matrix_value_type(TypeTable& types, ScalarKind scalar, uint32_t columns, uint32_t rows);

/// Payload of an atomic on a pointer in this space: relaxed, as wide as the memory is shared.
[[nodiscard]] uint32_t relaxed_atomic(Space space);

}  // namespace carry::ir
