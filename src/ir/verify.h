// The verifier (ir.md 13): linear, runs between stages in release too. It never trusts an id; a module that parse accepts
// or that a faulty pass left gives errors, not crashes.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace carry::ir {

struct VerifyError {
  uint8_t rule = 0;     // number in ir.md 13
  FunctionId function;  // none: module level
  InstId inst;          // none: not about one instruction
  std::string message;
};

/// At most `limit` errors, in order of place.
[[nodiscard]] std::vector<VerifyError> verify(const Module& module, size_t limit = 20);
/// "rule 2 in `main`: switch: two default cases".
[[nodiscard]] std::string describe(const Module& module, const VerifyError& error);

}  // namespace carry::ir
