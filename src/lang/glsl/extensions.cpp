#include "lang/glsl/extensions.h"

#include <algorithm>
#include <iterator>

namespace carry::glsl {

namespace {

constexpr std::string_view kExtensions[] = {
#define EXTENSION(name) #name,
#include "lang/glsl/extensions.def"
#undef EXTENSION
};

}  // namespace

bool is_known_extension(std::string_view name, LanguageVersion version) {
  static_cast<void>(version);
  return std::find(std::begin(kExtensions), std::end(kExtensions), name) != std::end(kExtensions);
}

}  // namespace carry::glsl
