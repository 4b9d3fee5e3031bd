// Constant calls of built-in functions: what the checker needs for constant expressions.
#pragma once

#include <span>
#include <vector>

#include "ops/builtins.h"
#include "ops/expand.h"

namespace carry {

/// `args`: the constants of the parameters that are not `out`, converted to the types of the bindings. Appends the
/// value (if the form has one), then the out parameters. False if the form has no constant value: a hook, an effect, or
/// what `fold` does not know. HLSL matrices are TypeKind::matrix whatever their scalar.
bool fold_form(TypeTable& types, const builtins::Form& form, const builtins::Bindings& bindings, std::span<const ConstId> args,
               std::vector<ConstId>& results);
bool fold_expansion(TypeTable& types, const builtins::Expansion& expansion, const builtins::Bindings& bindings,
                    std::span<const ConstId> args, std::vector<ConstId>& results);

}  // namespace carry
