#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace carry {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "carry: check failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace carry
