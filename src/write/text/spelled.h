// What a text writer can spell: the search for what it cannot, and the core operations that all of them print by hand.
#pragma once

#include "ir/module.h"

namespace carry::write::text {

/// Operators, conversions, composites, memory and calls, which every text writer spells outside its tables.
[[nodiscard]] bool is_core_operation(Op op);

/// The first instruction of a live function that `is_spelled` refuses; none if there is none.
[[nodiscard]] ir::InstId first_unspelled(const ir::Module& module, bool (*is_spelled)(Op));

}  // namespace carry::write::text
