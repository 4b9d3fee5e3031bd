// What DXC predefines for a profile.
#include "preprocess/policy.h"

namespace carry {

std::vector<std::string> hlsl_macros(const HlslMacroOptions& options) {
  std::vector<std::string> out;
  const auto add = [&](const char* name, uint32_t value) { out.push_back(std::string(name) + "=" + std::to_string(value)); };
  struct StageMacro {
    const char* name;
    HlslStage stage;
  };
  constexpr StageMacro kStages[] = {{"__SHADER_STAGE_PIXEL", HlslStage::pixel},
                                    {"__SHADER_STAGE_VERTEX", HlslStage::vertex},
                                    {"__SHADER_STAGE_GEOMETRY", HlslStage::geometry},
                                    {"__SHADER_STAGE_HULL", HlslStage::hull},
                                    {"__SHADER_STAGE_DOMAIN", HlslStage::domain},
                                    {"__SHADER_STAGE_COMPUTE", HlslStage::compute},
                                    {"__SHADER_STAGE_LIBRARY", HlslStage::library},
                                    {"__SHADER_STAGE_MESH", HlslStage::mesh},
                                    {"__SHADER_STAGE_AMPLIFICATION", HlslStage::amplification}};
  add("__hlsl_dx_compiler", 1);
  add("__HLSL_VERSION", options.language_version);
  add("__SHADER_TARGET_MAJOR", options.shader_model_major);
  add("__SHADER_TARGET_MINOR", options.shader_model_minor);
  add("__SHADER_TARGET_STAGE", static_cast<uint32_t>(options.stage));
  for (const StageMacro& stage : kStages) add(stage.name, static_cast<uint32_t>(stage.stage));
  if (options.enable_16bit) add("__HLSL_ENABLE_16_BIT", 1);
  if (options.spirv) {
    add("__spirv__", 1);
    add("__SPIRV_MAJOR_VERSION__", options.spirv_major);
    add("__SPIRV_MINOR_VERSION__", options.spirv_minor);
  }
  return out;
}

}  // namespace carry
