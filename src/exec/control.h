// Handlers of region ops, terminators and calls. Internal to exec/.
#pragma once

#include "exec/machine.h"

namespace carry::exec {

void op_if(Machine& m, const Code& code);       // aux: IfCode
void op_switch(Machine& m, const Code& code);   // aux: SwitchCode
void op_loop(Machine& m, const Code& code);     // aux: LoopCode
void op_call(Machine& m, const Code& code);     // aux: CallCode
void op_jump(Machine& m, const Code& code);     // aux: Copies, dst: target mask; ends the active lanes here
void op_next_if(Machine& m, const Code& code);  // aux: NextIfCode
void op_terminate(Machine& m, const Code& code);
void op_unreachable(Machine& m, const Code& code);
void op_fault(Machine& m, const Code& code);   // aux: message
void op_copies(Machine& m, const Code& code);  // aux: Copies, unmasked

}  // namespace carry::exec
