// Built-ins that a table cannot say: the hook named by the form.
#include "lower/function_lowering.h"

namespace carry::lower {

ValueId FunctionLowering::apply_hook(NodeId n, const Call& c, builtins::Hook hook) {
  static_cast<void>(hook);
  return unsupported(n, "this built-in function", c.result);
}

}  // namespace carry::lower
