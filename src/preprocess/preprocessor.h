// The class behind preprocess(); private to src/preprocess. Its parts: preprocess.cpp (driving, files),
// directives.cpp, define.cpp, expand.cpp, substitute.cpp, condition.cpp (#if), glsl_directives.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "preprocess/macro.h"
#include "preprocess/preprocess.h"

namespace carry {

[[nodiscard]] inline bool is_kind(const Token& token, TokenKind kind) { return token.kind == static_cast<uint32_t>(kind); }
[[nodiscard]] inline bool starts_line(const Token& token) { return (token.flags & kTokenLineStart) != 0; }

/// Ids of the words that directives look for.
struct DirectiveNames {
#define CARRY_DIRECTIVE_WORDS(X) \
  X(define)                      \
  X(undef)                       \
  X(include)                     \
  X(ifdef)                       \
  X(ifndef)                      \
  X(elif)                        \
  X(endif)                       \
  X(line)                        \
  X(error)                       \
  X(warning)                     \
  X(pragma)                      \
  X(version)                     \
  X(extension)                   \
  X(defined)                     \
  X(once)
#define X(word) NameId word##_;
  CARRY_DIRECTIVE_WORDS(X)
#undef X
  NameId if_;
  NameId else_;
  NameId variable_arguments;
  explicit DirectiveNames(Names& names);
};

class Preprocessor {
 public:
  Preprocessor(SourceMap& sources, SourceId main, Names& names, Emitter& diags, const PreprocessOptions& options,
               IncludeResolver* resolver);
  Preprocessed run();

 private:
  using Line = std::vector<Token>;

  struct Condition {
    Loc loc;
    bool taken;  // some group of it was active
    bool seen_else;
  };

  struct File {
    SourceId id;
    TokenBuffer buffer;
    const Token* cur = nullptr;
    size_t condition_base = 0;
    uint32_t source_number = 0;  // GLSL's __FILE__
    std::string identity;
  };

  /// A token list being read above the files. A barrier keeps readers from going on into what lies below.
  struct Context {
    std::vector<Token> tokens;
    size_t next = 0;
    Macro* macro = nullptr;
    bool barrier = false;
  };

  // expand.cpp: reading and expanding.
  void read_file_token(Token& token);
  void read_raw(Token& token);
  void read_expanded(Token& token);
  void pop_context();
  void push_context(std::vector<Token> tokens, Macro* macro, bool barrier);
  std::vector<Token> take_buffer();
  bool try_expand(Token& token, Macro& macro);
  bool next_is_paren();
  void expand_builtin(Token& token, const Macro& macro);
  std::vector<Token> expand_list(const Token* begin, const Token* end);

  // substitute.cpp: arguments and bodies.
  struct Argument {
    std::vector<Token> raw;
    std::vector<Token> expanded;
    bool is_expanded = false;
  };
  struct Piece {
    Token token;
    bool from_argument;
  };
  bool read_arguments(const Token& name, Macro& macro, std::vector<Argument>& arguments, Loc& last);
  bool fit_arguments(const Token& name, const Macro& macro, std::vector<Argument>& arguments, bool nothing, Loc last);
  void substitute(const Token& name, Macro& macro, std::vector<Argument>& arguments, Loc last);
  void append_piece(const MacroToken& part, bool pasted, std::vector<Argument>& arguments, std::vector<Piece>& out,
                    const Macro& macro);
  Token stringify(const std::vector<Token>& tokens, Loc at);
  void paste(std::vector<Piece>& out, size_t left, const MacroToken& op);
  Token added_token(std::string_view text, TokenKind kind, Loc origin, uint32_t flags);
  const std::vector<Token>& expanded_argument(Argument& argument);
  bool count_tokens(size_t count, Loc loc);

  // directives.cpp
  void directive();
  Line take_line(const Token* hash);
  void run_directive(const Token& hash, Line& line);
  bool run_condition(const Token& hash, const Line& line);
  void open_condition(Loc loc, bool active);
  void skip_group();
  void end_line(const Line& line, size_t used);
  bool test_defined(const Line& line);
  void do_include(const Token& hash, const Line& line);
  bool include_name(const Line& line, std::string& name, bool& angled, LocRange& range);
  void enter_include(const IncludeRequest& request, LocRange range);
  void do_line(const Token& hash, const Line& line);
  void do_message(const Token& hash, const Line& line);
  void do_pragma(const Token& hash, const Line& line);
  std::string line_text(const Line& line, size_t first) const;
  std::string literal_text(const Token& token) const;

  // define.cpp
  void do_define(const Line& line);
  void do_undef(const Line& line);
  bool read_params(const Line& line, size_t& i, Macro& macro);
  bool read_body(const Line& line, size_t i, Macro& macro);
  bool allowed_name(const Token& name, bool defining);
  bool same_definition(const Macro& a, const Macro& b) const;
  bool is_defined(const Token& name);
  bool extension_macro(uint32_t name) const;

  // condition.cpp
  bool condition(Loc at, const Line& line, size_t first);
  std::optional<int64_t> constant(const Line& line, size_t first, size_t& used);

  // glsl_directives.cpp
  void find_version();
  void do_version(const Token& hash, const Line& line);
  bool read_version(const Line& line, LanguageVersion& version, bool report);
  void do_extension(const Token& hash, const Line& line);

  // preprocess.cpp
  bool push_file(SourceId id, std::string identity);
  void define_predefined();
  std::string predefined_text() const;
  std::string command_line_text() const;
  void fail() { stopped_ = true; }
  bool in_main() const { return files_.size() == 1 && files_.back()->id == main_; }
  bool glsl() const { return options_.language == PreprocessLanguage::glsl; }
  bool es() const { return result_.version.version.profile == GlslProfile::es; }
  std::string_view text(const Token& token) const {
    return is_kind(token, TokenKind::identifier) ? names_.text(NameId(uint32_t{token.name})) : sources_.token_text(token.loc);
  }

  SourceMap& sources_;
  SourceId main_;
  Names& names_;
  Emitter& diags_;
  const PreprocessOptions& options_;
  IncludeResolver* resolver_;
  DirectiveNames words_;
  Preprocessed result_;
  MacroTable macros_;
  std::vector<std::unique_ptr<File>> files_;
  std::vector<Context> contexts_;
  std::vector<std::vector<Token>> spare_;  // buffers of finished contexts
  std::vector<ExpandedToken> expansion_;   // scratch of substitute
  std::vector<Condition> conditions_;
  std::unordered_set<std::string> once_;
  std::unordered_set<std::string> seen_;
  SourceId builtin_;
  SourceId command_line_;
  uint32_t collecting_ = 0;  // arguments are being read: a file's end ends them
  uint32_t argument_depth_ = 0;
  uint32_t expanded_tokens_ = 0;
  uint32_t includes_ = 0;
  uint32_t counter_ = 0;
  bool include_reported_ = false;
  bool version_reported_ = false;  // a second #version: once is enough, in a file that includes itself
  bool stopped_ = false;
};

}  // namespace carry
