// Handlers for values that are not one loop: bit casts and everything that ops/eval computes. Internal to exec/.
#pragma once

#include "exec/machine.h"

namespace carry::exec {

void op_bitcast(Machine& m, const Code& code);  // aux: EvalCode with one argument and one result
void op_eval(Machine& m, const Code& code);     // aux: EvalCode

}  // namespace carry::exec
