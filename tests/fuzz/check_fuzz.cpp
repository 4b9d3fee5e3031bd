// Preprocessor, parser and checker on any bytes. The first byte chooses the language, version and stage. What the checker promises
// for a source without errors is verified: every expression has a type, constants have the type of their node.
#include <cstddef>
#include <cstdint>
#include <string>

#include "check/check.h"
#include "lang/glsl/grammar.h"
#include "lang/hlsl/grammar.h"
#include "preprocess/preprocess.h"
#include "syntax/parser.h"

namespace {

using namespace carry;

void verify(const Facts& facts, const Tree& tree, const TypeTable& types) {
  for (uint32_t i = 0; i < tree.size(); ++i) {
    const NodeFact& f = facts.node(NodeId{i});
    if (f.value && types.constant(f.value).type != facts.result_type(NodeId{i})) __builtin_trap();
    if (f.ref == Ref::call && f.index >= facts.calls.size()) __builtin_trap();
    if (f.ref == Ref::variable && f.index >= facts.variables.size()) __builtin_trap();
  }
  for (FuncId f : facts.function_order) {
    if (!facts.functions[f].body) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static constexpr uint32_t kVersions[] = {110, 330, 450, 460};
  const bool hlsl = (data[0] & 1) != 0;
  SourceMap sources;
  Names names;
  TypeTable types;
  Emitter diags;
  const SourceId file = sources.add_file("fuzz", std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  PreprocessOptions options;
  options.language = hlsl ? PreprocessLanguage::hlsl : PreprocessLanguage::glsl;
  options.default_version.number = hlsl ? ((data[0] & 2) != 0 ? 2029u : 2021u) : kVersions[data[0] >> 1 & 3];
  if (!hlsl && (data[0] & 8) != 0) options.default_version = {320, GlslProfile::es};
  const Preprocessed p = preprocess(sources, file, names, diags, options, nullptr);
  if (p.failed) return 0;
  LanguageMode mode;
  mode.language = hlsl ? SourceLanguage::hlsl : SourceLanguage::glsl;
  if (hlsl) {
    mode.hlsl_version = static_cast<uint16_t>(p.version.version.number);
  } else {
    mode.glsl_version = static_cast<uint16_t>(p.version.version.number);
    mode.profile = p.version.version.profile;
  }
  for (const ExtensionDirective& e : p.extensions) {
    if (e.behavior != ExtensionBehavior::disable) mode.extensions.push_back(e.name);
  }
  const Tree tree = syntax::parse(p.tokens, names, sources, mode, hlsl ? hlsl::grammar() : glsl::grammar(), diags);
  check::Options check_options;
  static constexpr Stage kStages[] = {Stage::compute, Stage::vertex, Stage::fragment, Stage::none};
  check_options.stage = kStages[data[0] >> 4 & 3];
  const Facts facts = check::check({tree, sources, names, types, mode, check_options, diags});
  if (!diags.has_errors()) verify(facts, tree, types);
  return 0;
}
