#include "driver/front.h"

#include "driver/options.h"
#include "lang/glsl/extensions.h"

namespace carry::driver {

namespace {

HlslStage hlsl_stage(Stage stage) {
  switch (stage) {
    case Stage::vertex: return HlslStage::vertex;
    case Stage::fragment: return HlslStage::pixel;
    case Stage::geometry: return HlslStage::geometry;
    case Stage::tess_control: return HlslStage::hull;
    case Stage::tess_eval: return HlslStage::domain;
    case Stage::compute: return HlslStage::compute;
    case Stage::mesh: return HlslStage::mesh;
    case Stage::task: return HlslStage::amplification;
    default: return HlslStage::library;
  }
}

/// Where fix-its put `#extension` and which number they raise.
void find_places(Compilation& c) {
  const SourceId main(0u);
  const std::string_view text = c.sources.text(main);
  const Loc directive = c.preprocessed.version.loc;
  if (directive.is_none()) {
    c.mode.extension_place = c.sources.loc(main, 0);
    return;
  }
  if (c.sources.file_of(directive) != main) return;
  const uint32_t from = directive.offset - c.sources.loc(main, 0).offset;
  const size_t line_end = text.find('\n', from);
  if (line_end == std::string_view::npos) return;
  c.mode.extension_place = c.sources.loc(main, static_cast<uint32_t>(line_end) + 1);
  const size_t digits = text.find_first_of("0123456789", from);
  if (digits > line_end) return;
  const size_t end = text.find_first_not_of("0123456789", digits);
  c.mode.version_number = {c.sources.loc(main, static_cast<uint32_t>(digits)), c.sources.loc(main, static_cast<uint32_t>(end))};
}

}  // namespace

PreprocessOptions preprocess_options(const Request& request) {
  PreprocessOptions o;
  const bool hlsl = request.language == SourceLanguage::hlsl;
  o.language = hlsl ? PreprocessLanguage::hlsl : PreprocessLanguage::glsl;
  o.default_version = request.default_version;
  if (hlsl && o.default_version.number == 0) o.default_version.number = 2021;
  o.vulkan = request.vulkan_glsl;
  o.include_without_extension = true;
  o.macros = request.macros;
  o.includes = request.forced_includes;
  o.extensions.known = glsl::is_known_extension;
  if (hlsl) {
    Stage stage = request.stage;
    if (stage == Stage::none && request.entries.size() == 1) stage = request.entries[0].stage;
    HlslMacroOptions m;
    m.language_version = o.default_version.number;
    m.shader_model_major = 6;
    m.shader_model_minor = request.shader_model - 60;
    m.stage = hlsl_stage(stage);
    m.enable_16bit = request.native_16bit;
    o.predefined = hlsl_macros(m);
  }
  return o;
}

void fill_mode(Compilation& c, const Request& request) {
  LanguageMode& mode = c.mode;
  mode.language = request.language;
  mode.vulkan = request.vulkan_glsl;
  const LanguageVersion version = c.preprocessed.version.version;
  if (mode.is_hlsl()) {
    mode.hlsl_version = static_cast<uint16_t>(version.number == 0 ? 2021 : version.number);
  } else {
    mode.glsl_version = static_cast<uint16_t>(version.number);
    mode.profile = version.profile;
  }
  if (mode.is_glsl()) {
    mode.changes = glsl::extension_changes(c.preprocessed.extensions, version, c.context.names);
    find_places(c);
  }
  c.stage = request.stage;
  if (c.stage == Stage::none) c.stage = pragma_stage(c);
}

check::Options check_options(Compilation& c, const Request& request) {
  check::Options o;
  for (const EntryOption& e : request.entries) {
    o.entries.push_back({c.context.names.intern(e.name), e.stage == Stage::none ? c.stage : e.stage});
  }
  o.stage = c.stage;
  o.shader_model = static_cast<uint16_t>(request.shader_model);
  o.strict_literals = request.strict_literals;
  o.strict_types = request.strict_types;
  o.row_major_default = request.lowering.row_major_default;
  o.native_16bit = request.native_16bit;
  o.atomic_float = request.atomic_float;
  o.cbuffer_layout = request.cbuffer_layout;
  o.structured_layout = request.structured_layout;
  read_pragmas(c, o);
  return o;
}

}  // namespace carry::driver
