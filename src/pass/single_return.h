// Brings a function to one `return` at the end of its body, which inlining needs.
#pragma once

#include "ir/module.h"

namespace carry::pass {

/// The body becomes a loop that runs once: `return` is `break`, with the result in a variable; out of inner loops it goes by a
/// flag. Functions that have a single return at the end are left alone.
///   before  if %c { return 1 }  return 2
///   after   %r = var i32  loop { if %c { store %r, 1 break }  store %r, 2 break } continuing { next }  %v = load %r  return %v
void make_single_return(ir::Module& module, ir::FunctionId function);

}  // namespace carry::pass
