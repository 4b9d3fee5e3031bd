#include "check/check.h"

#include "check/checker.h"

namespace carry::check {

Facts check(const Input& input) { return Checker(input).run(); }

}  // namespace carry::check
