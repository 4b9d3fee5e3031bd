#include "syntax/language_mode.h"

#include <algorithm>

namespace carry {

bool LanguageMode::advance_to(uint32_t token) {
  bool changed = false;
  for (; next_ < changes.size() && changes[next_].before_token <= token; ++next_) {
    const ExtensionChange& c = changes[next_];
    std::erase(extensions, c.name);
    std::erase(warned, c.name);
    if (c.enabled) extensions.push_back(c.name);
    if (c.warn) warned.push_back(c.name);
    changed = true;
  }
  return changed;
}

}  // namespace carry
