// What a language and the options ask of the preprocessor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carry {

enum class PreprocessLanguage : uint8_t { glsl, hlsl };
enum class GlslProfile : uint8_t { none, core, compatibility, es };

/// Version of a GLSL source: `#version 310 es` is {310, es}; `#version 100` is {100, es}.
/// For HLSL `number` is the language version (2021) and the profile stays none.
struct LanguageVersion {
  uint32_t number = 0;  // 0: not given
  GlslProfile profile = GlslProfile::none;
  friend bool operator==(LanguageVersion a, LanguageVersion b) { return a.number == b.number && a.profile == b.profile; }
};

/// One -D or -U, in the order of the command line. `definition` is "NAME", "NAME=VALUE" or "NAME(a)=VALUE".
struct CommandLineMacro {
  std::string definition;
  bool undefine = false;
};

/// Whether a version of GLSL knows an extension; the table is lang/glsl's. A null hook knows none and says nothing
/// about unknown ones. Macros of known extensions are defined to 1.
struct ExtensionHook {
  bool (*known)(std::string_view name, LanguageVersion version) = nullptr;
};

/// Bounds that keep any input from running away.
struct PreprocessLimits {
  uint32_t include_depth = 200;
  uint32_t includes = 20000;
  uint32_t expanded_tokens = 1u << 22;
  uint32_t argument_depth = 200;   // calls nested in arguments
  uint32_t condition_depth = 200;  // parentheses in #if
};

struct PreprocessOptions {
  PreprocessLanguage language = PreprocessLanguage::glsl;
  /// Version where the source does not say (-std, -HV).
  LanguageVersion default_version;
  /// GLSL with Vulkan's rules: defines VULKAN.
  bool vulkan = true;
  /// #include in GLSL without the extension that brings it, as glslc allows.
  bool include_without_extension = false;
  std::vector<CommandLineMacro> macros;
  std::vector<std::string> includes;  // --include
  /// Further predefined macros, "NAME=VALUE": what depends on stage, profile and target (hlsl_macros makes them).
  std::vector<std::string> predefined;
  ExtensionHook extensions;
  PreprocessLimits limits;
};

/// Numbers that DXC gives to stages in __SHADER_TARGET_STAGE.
enum class HlslStage : uint8_t {
  pixel = 0,
  vertex = 1,
  geometry = 2,
  hull = 3,
  domain = 4,
  compute = 5,
  library = 6,
  mesh = 13,
  amplification = 14
};

/// What HLSL predefines, for PreprocessOptions::predefined.
struct HlslMacroOptions {
  uint32_t language_version = 2021;
  uint32_t shader_model_major = 6;
  uint32_t shader_model_minor = 6;
  HlslStage stage = HlslStage::library;
  bool enable_16bit = false;
  bool spirv = true;  // __spirv__
  uint32_t spirv_major = 1;
  uint32_t spirv_minor = 5;
};
[[nodiscard]] std::vector<std::string> hlsl_macros(const HlslMacroOptions& options);

/// Versions that `#version` takes, with the profile completed (150 and up: core when nothing is said, 100: es).
/// False when there is no such version.
[[nodiscard]] bool complete_version(LanguageVersion& version);

}  // namespace carry
