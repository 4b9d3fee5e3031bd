// The preprocessor: macros, conditions, includes; tokens in, tokens out.
#pragma once

#include "base/names.h"
#include "diag/diag.h"
#include "lex/token.h"
#include "preprocess/policy.h"
#include "source/include.h"
#include "source/source_map.h"

namespace carry {

enum class ExtensionBehavior : uint8_t { disable, warn, enable, require };

struct ExtensionDirective {
  Loc loc;  // of the `#`
  Loc name_loc;
  NameId name;  // "all" too
  ExtensionBehavior behavior = ExtensionBehavior::disable;
  uint32_t before_token = 0;  // index in Preprocessed::tokens of the first token after it
};

struct PragmaDirective {
  Loc loc;                    // of the `#`
  std::vector<Token> tokens;  // after the word `pragma`, not expanded, without eof
  uint32_t before_token = 0;
};

struct VersionDirective {
  Loc loc;                  // none: not in the source
  LanguageVersion version;  // always filled in, from the options or the specification's default otherwise
};

struct Preprocessed {
  TokenBuffer tokens;  // identifiers, literals, punctuation; no `invalid`; ends in eof
  VersionDirective version;
  std::vector<ExtensionDirective> extensions;
  std::vector<PragmaDirective> pragmas;
  std::vector<std::string> dependencies;  // paths of included files, each once, in order of first use
  bool failed = false;                    // stopped early: a limit was passed
};

/// `main` is already in `sources`. `resolver` may be null: then every #include fails.
[[nodiscard]] Preprocessed preprocess(SourceMap& sources, SourceId main, Names& names, Emitter& diags,
                                      const PreprocessOptions& options, IncludeResolver* resolver);

/// The result as text that compiles to the same again: `--preprocess`.
[[nodiscard]] std::string preprocessed_text(const Preprocessed& result, const SourceMap& sources, const Names& names,
                                            PreprocessLanguage language);

}  // namespace carry
