// LanguageMode: which language, version and extensions a source is written in. Set by the driver from the command line and
// from what the preprocessor saw (#version, #extension); read by the parser and the checker.
#pragma once

#include <cstdint>
#include <vector>

#include "base/names.h"
#include "preprocess/policy.h"

namespace carry {

enum class SourceLanguage : uint8_t { glsl, hlsl };

struct LanguageMode {
  SourceLanguage language = SourceLanguage::glsl;
  uint16_t glsl_version = 460;  // 110 ... 460; with profile es 100, 300, 310, 320
  GlslProfile profile = GlslProfile::core;
  bool vulkan = true;              // GL_KHR_vulkan_glsl: separate textures, subpassInput, ...
  uint16_t hlsl_version = 2021;    // 2016, 2017, 2018, 2021; 2029 stands for 202x
  std::vector<NameId> extensions;  // enabled GLSL extensions (warn, enable, require), each once

  [[nodiscard]] bool is_glsl() const { return language == SourceLanguage::glsl; }
  [[nodiscard]] bool is_hlsl() const { return language == SourceLanguage::hlsl; }
  [[nodiscard]] bool is_es() const { return profile == GlslProfile::es; }
  [[nodiscard]] bool has_extension(NameId name) const {
    for (NameId e : extensions) {
      if (e == name) return true;
    }
    return false;
  }
};

}  // namespace carry
