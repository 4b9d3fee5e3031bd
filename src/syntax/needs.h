// What makes a word of GLSL available here, as text and as a fix-it: a later version, an extension, or either.
#pragma once

#include <string>
#include <string_view>

#include "diag/diag.h"
#include "syntax/language_mode.h"

namespace carry {

struct Need {
  uint16_t version = 0;             // of this profile; 0: no version has it
  std::string_view extension = {};  // the first that brings it; empty: none does
  std::string_view other = {};      // what no edit of the source gives: "a target environment of Vulkan"

  [[nodiscard]] bool empty() const { return version == 0 && extension.empty() && other.empty(); }
};

/// "GLSL 4.00 or `#extension GL_ARB_gpu_shader5 : require`"
[[nodiscard]] std::string need_text(const Need& need, const LanguageMode& mode);

/// The edit that meets the need: a line `#extension` after `#version`, else a higher number there.
void fix_need(DiagHandle& handle, const Need& need, const LanguageMode& mode);

/// "4.50"
[[nodiscard]] std::string version_text(uint16_t version);

}  // namespace carry
