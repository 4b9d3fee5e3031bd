// Scanner and parser on any bytes. The first byte chooses the language and version.
#include <cstddef>
#include <cstdint>
#include <string>

#include "lang/glsl/grammar.h"
#include "lang/hlsl/grammar.h"
#include "lex/scan.h"
#include "syntax/parser.h"

namespace {

// The invariants of a post-order tree; a fault aborts.
void verify(const carry::Tree& tree) {
  using carry::NodeId;
  if (tree.size() == 0 || !tree.is(tree.root(), carry::NodeKind::translation_unit)) __builtin_trap();
  if (tree[tree.root()].size != tree.size()) __builtin_trap();
  for (uint32_t i = 0; i < tree.size(); ++i) {
    const NodeId id{i};
    const carry::Node& node = tree[id];
    if (node.size == 0 || node.size > i + 1) __builtin_trap();
    if (node.token >= tree.tokens().tokens.size() || node.end_token >= tree.tokens().tokens.size()) __builtin_trap();
    uint32_t total = 1;
    for (NodeId c = tree.last_child(id); c; c = tree.previous_child(id, c)) total += tree[c].size;
    if (total != node.size) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace carry;
  if (size == 0) return 0;
  static constexpr uint16_t kVersions[] = {110, 330, 450, 460};
  LanguageMode mode;
  const bool hlsl = (data[0] & 1) != 0;
  mode.language = hlsl ? SourceLanguage::hlsl : SourceLanguage::glsl;
  mode.glsl_version = kVersions[data[0] >> 1 & 3];
  if ((data[0] & 8) != 0) {
    mode.profile = GlslProfile::es;
    mode.glsl_version = 320;
  }
  SourceMap sources;
  Names names;
  Emitter diags;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const SourceId file = sources.add_file("fuzz", std::move(text));
  const TokenBuffer tokens = scan(sources, file, names, diags);
  verify(syntax::parse(tokens, names, sources, mode, hlsl ? hlsl::grammar() : glsl::grammar(), diags));
  return 0;
}
