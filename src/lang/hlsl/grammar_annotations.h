// Semantics, registers, pack offsets and effect annotations of HLSL.
#pragma once

#include "syntax/parser_core.h"

namespace carry::hlsl {

/// Emits the `annotations` node at `: SV_Position`, `: register(...)`, `< ... >`, or an empty one.
void parse_annotations(syntax::Parser& p);
/// `= sampler_state { ... }` and `{ ... }` right after a name: states of effect files, skipped.
bool parse_state_block(syntax::Parser& p);

}  // namespace carry::hlsl
