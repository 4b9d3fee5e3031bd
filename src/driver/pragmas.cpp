// What `#pragma` says: to the driver, to the checker, or nothing, with a warning.
#include <algorithm>

#include "driver/front.h"
#include "driver/options.h"

namespace carry::driver {

namespace {

enum class Languages : uint8_t { both, glsl, hlsl };

struct Row {
  Languages languages;
  std::string_view words;
};
constexpr Row kRows[] = {
#define PRAGMA(languages, words) {Languages::languages, words},
#include "driver/pragmas.def"
#undef PRAGMA
};

bool matches(std::string_view words, std::string_view text) {
  constexpr std::string_view kRest = "...";
  if (words.size() < kRest.size() || words.substr(words.size() - kRest.size()) != kRest) return words == text;
  const std::string_view start = words.substr(0, words.size() - kRest.size() - 1);
  return text.substr(0, start.size()) == start && (text.size() == start.size() || text[start.size()] == ' ');
}

bool is_known(std::string_view text, bool hlsl) {
  return std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) {
    return row.languages != (hlsl ? Languages::glsl : Languages::hlsl) && matches(row.words, text);
  });
}

}  // namespace

std::string pragma_text(const PragmaDirective& d, const Compilation& c) {
  std::string text;
  for (const Token& t : d.tokens) {
    if (!text.empty()) text += ' ';
    text += c.sources.token_text(t.loc);
  }
  return text;
}

Stage pragma_stage(const Compilation& c) {
  const Names& names = c.context.names;
  for (const PragmaDirective& d : c.preprocessed.pragmas) {
    if (d.tokens.size() < 3 || names.text(NameId(d.tokens[0].name)) != "shader_stage") continue;
    if (const Stage stage = find_stage(names.text(NameId(d.tokens[2].name))); stage != Stage::none) return stage;
  }
  return Stage::none;
}

void read_pragmas(Compilation& c, check::Options& o) {
  const bool hlsl = c.mode.is_hlsl();
  for (const PragmaDirective& d : c.preprocessed.pragmas) {
    const std::string text = pragma_text(d, c);
    if (text.empty()) continue;
    if (!is_known(text, hlsl)) {
      const LocRange range = c.sources.range(d.loc, d.tokens.back().loc);
      c.diags.emit(range, diag::pragma_ignored, c.sources.token_text(d.tokens[0].loc));
      continue;
    }
    if (text == "STDGL invariant ( all )") o.all_invariant = true;
    if (text.substr(0, 11) != "pack_matrix") continue;
    if (o.pack_matrix.empty()) o.pack_matrix.push_back({0, o.row_major_default});
    o.row_major_default = text.find("row_major") != std::string::npos;
    o.pack_matrix.push_back({d.before_token, o.row_major_default});
  }
}

}  // namespace carry::driver
