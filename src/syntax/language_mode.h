// LanguageMode: which language, version and extensions a source is written in. Set by the driver from the command line and
// from what the preprocessor saw (#version, #extension); read by the parser and the checker.
#pragma once

#include <cstdint>
#include <vector>

#include "base/names.h"
#include "preprocess/policy.h"
#include "source/loc.h"

namespace carry {

enum class SourceLanguage : uint8_t { glsl, hlsl };

/// One effect of `#extension`, with what it brings along written out: from `before_token` on it holds.
struct ExtensionChange {
  NameId name;
  uint32_t before_token = 0;
  bool enabled = false;
  bool warn = false;  // enabled, and each use is worth a warning
};

/// Copied by each stage that walks the tokens or the tree in order: `extensions` is what holds at the place reached.
struct LanguageMode {
  SourceLanguage language = SourceLanguage::glsl;
  uint16_t glsl_version = 460;  // 110 ... 460; with profile es 100, 300, 310, 320
  GlslProfile profile = GlslProfile::core;
  bool vulkan = true;              // GL_KHR_vulkan_glsl: separate textures, subpassInput, ...
  uint16_t hlsl_version = 2021;    // 2016, 2017, 2018, 2021; 2029 stands for 202x
  std::vector<NameId> extensions;  // GLSL extensions that are on here, each once
  std::vector<NameId> warned;      // those of them that came with `warn`
  std::vector<ExtensionChange> changes;
  Loc extension_place;      // where a line `#extension` may be put in; none: nowhere
  LocRange version_number;  // of #version; none: not written

  [[nodiscard]] bool is_glsl() const { return language == SourceLanguage::glsl; }
  [[nodiscard]] bool is_hlsl() const { return language == SourceLanguage::hlsl; }
  [[nodiscard]] bool is_es() const { return profile == GlslProfile::es; }
  [[nodiscard]] bool has_extension(NameId name) const {
    for (NameId e : extensions) {
      if (e == name) return true;
    }
    return false;
  }
  /// The token where the next `#extension` takes effect.
  [[nodiscard]] uint32_t next_change() const { return next_ < changes.size() ? changes[next_].before_token : 0xffffffffu; }
  /// Brings `extensions` to what holds at the token; true if anything changed. Tokens come in order.
  bool advance_to(uint32_t token);

 private:
  size_t next_ = 0;
};

}  // namespace carry
