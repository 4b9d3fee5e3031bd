// Inlining of chosen calls, for passes whose targets cannot make them.
#pragma once

#include "ir/module.h"

namespace carry::pass {

struct InlineChoice {
  /// Whether all calls of the function are inlined (it is dropped then).
  bool (*callee)(const ir::Module& module, const ir::Function& function) = [](const ir::Module&, const ir::Function&) {
    return false;
  };
  /// Also calls that hand over a part of a variable by reference.
  bool parts = false;
};
void inline_calls(ir::Module& module, const InlineChoice& choice);

}  // namespace carry::pass
