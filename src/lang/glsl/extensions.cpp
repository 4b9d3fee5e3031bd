#include "lang/glsl/extensions.h"

#include <algorithm>
#include <iterator>

namespace carry::glsl {

namespace {

constexpr std::string_view kExtensions[] = {
#define EXTENSION(name) #name,
#define BRINGS(name, other)
#include "lang/glsl/extensions.def"
#undef BRINGS
#undef EXTENSION
};

struct Brings {
  std::string_view name;
  std::string_view other;
};
constexpr Brings kBrings[] = {
#define EXTENSION(name)
#define BRINGS(name, other) {#name, #other},
#include "lang/glsl/extensions.def"
#undef BRINGS
#undef EXTENSION
};

bool has_prefix(std::string_view name, std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; }

/// OpenGL's own extensions are not those of OpenGL ES.
bool fits_profile(std::string_view name, bool es) { return !has_prefix(name, es ? "GL_ARB_" : "GL_OES_"); }

void add(std::vector<ExtensionChange>& out, const ExtensionDirective& d, std::string_view name, Names& names) {
  const bool on = d.behavior != ExtensionBehavior::disable;
  out.push_back({names.intern(name), d.before_token, on, d.behavior == ExtensionBehavior::warn});
  if (!on) return;
  for (const Brings& b : kBrings) {
    if (b.name == name) add(out, d, b.other, names);
  }
}

}  // namespace

bool is_known_extension(std::string_view name, LanguageVersion version) {
  return fits_profile(name, version.profile == GlslProfile::es) &&
         std::find(std::begin(kExtensions), std::end(kExtensions), name) != std::end(kExtensions);
}

std::string_view extension_for(std::string_view names, bool es) {
  while (!names.empty()) {
    const size_t space = names.find(' ');
    const std::string_view one = names.substr(0, space);
    if (fits_profile(one, es)) return one;
    names = space == std::string_view::npos ? std::string_view() : names.substr(space + 1);
  }
  return {};
}

std::vector<ExtensionChange> extension_changes(std::span<const ExtensionDirective> directives, LanguageVersion version,
                                               Names& names) {
  std::vector<ExtensionChange> out;
  for (const ExtensionDirective& d : directives) {
    if (names.text(d.name) != "all") {
      add(out, d, names.text(d.name), names);
      continue;
    }
    for (std::string_view name : kExtensions) {
      if (is_known_extension(name, version))
        out.push_back({names.intern(name), d.before_token, d.behavior != ExtensionBehavior::disable, true});
    }
  }
  return out;
}

}  // namespace carry::glsl
