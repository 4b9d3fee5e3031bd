// Types of an operation's results from its row, operands and payload: one place for parser and verifier.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/module.h"

namespace carry::ir {

/// What the derivation looks at. `named` is what the text (or the builder's caller) says, or none.
struct OpUse {
  Op op{};
  std::span<const ValueId> operands;
  uint32_t payload = 0;
  std::span<const TypeId> named;
};

/// Fills `results` (empty: no result). False with `error` when the operands cannot be those of the op. For `named` ops
/// whose operands leave a choice the named types come back; regions' ops (if, switch, loop) give `named` back unchecked.
[[nodiscard]] bool derive_results(Module& module, const Function* function, const OpUse& use, std::vector<TypeId>& results,
                                  std::string& error);

/// Type of one step into a value: component, column, element, member; none when it does not fit.
[[nodiscard]] TypeId value_step(Module& module, TypeId type, ValueId step);
/// Pointer type after one step; none when it does not fit.
[[nodiscard]] TypeId pointer_step(Module& module, TypeId pointer, ValueId step);
/// What a load of this pointee gives and a store takes: atomics give their scalar, packed vectors the plain one.
[[nodiscard]] TypeId loaded_type(TypeTable& types, TypeId pointee);
/// True for i32 and u32, what steps and indices have.
[[nodiscard]] bool is_index_type(TypeId type);
/// Type of a value without a function for module-level use.
[[nodiscard]] TypeId value_type(const Module& module, const Function* function, ValueId v);

}  // namespace carry::ir
