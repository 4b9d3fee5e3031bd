// --preprocess: tokens as text again, with their lines kept where that is cheap and #line where it is not.
#include "base/text_sink.h"
#include "preprocess/preprocess.h"
#include "source/token_extent.h"

namespace carry {

namespace {

constexpr uint32_t kMaxBlankLines = 8;

class Printer {
 public:
  Printer(const Preprocessed& result, const SourceMap& sources, const Names& names, PreprocessLanguage language)
      : result_(result), sources_(sources), names_(names), glsl_(language == PreprocessLanguage::glsl) {}

  std::string run() {
    const LanguageVersion version = result_.version.version;
    if (glsl_) print_version(version);
    own_line_ = glsl_ && version.number < (version.profile == GlslProfile::es ? 300u : 330u);
    const std::vector<Token>& tokens = result_.tokens.tokens;
    for (uint32_t i = 0; i < tokens.size(); ++i) {
      print_directives(i);
      if (tokens[i].kind != static_cast<uint32_t>(TokenKind::eof)) print_token(tokens[i]);
    }
    end_line();
    return out_.take();
  }

 private:
  void print_version(LanguageVersion version) {
    out_ << "#version " << version.number;
    if (version.profile == GlslProfile::es && version.number != 100) out_ << " es";
    if (version.profile == GlslProfile::core) out_ << " core";
    if (version.profile == GlslProfile::compatibility) out_ << " compatibility";
    out_ << "\n";
  }

  void end_line() {
    if (!at_start_) out_ << "\n";
    at_start_ = true;
    last_ = {};
  }

  std::string_view spelled(const Token& token) const {
    const auto kind = static_cast<TokenKind>(uint32_t{token.kind});
    if (kind == TokenKind::identifier) return names_.text(NameId(uint32_t{token.name}));
    return kind > TokenKind::invalid ? token_kind_text(kind) : sources_.token_text(token.loc);
  }

  /// Extensions and pragmas that stand before token `index`, in the order of the source.
  void print_directives(uint32_t index) {
    const auto& extensions = result_.extensions;
    const auto& pragmas = result_.pragmas;
    while (true) {
      const bool extension = extension_ < extensions.size() && extensions[extension_].before_token <= index;
      const bool pragma = pragma_ < pragmas.size() && pragmas[pragma_].before_token <= index;
      if (!extension && !pragma) return;
      end_line();
      line_ = 0;  // the next token says where it is
      if (extension && (!pragma || extensions[extension_].loc.offset < pragmas[pragma_].loc.offset)) {
        constexpr std::string_view kBehaviors[] = {"disable", "warn", "enable", "require"};
        const ExtensionDirective& e = extensions[extension_++];
        out_ << "#extension " << names_.text(e.name) << " : " << kBehaviors[static_cast<size_t>(e.behavior)] << "\n";
      } else {
        out_ << "#pragma";
        bool first = true;
        for (const Token& token : pragmas[pragma_++].tokens) {
          if (first || (token.flags & kTokenSpaceBefore) != 0) out_ << ' ';
          out_ << spelled(token);
          first = false;
        }
        out_ << "\n";
      }
    }
  }

  void go_to(const Place& place) {
    if (place.file == file_ && place.line == line_) return;
    const bool near = place.file == file_ && line_ != 0 && place.line > line_ && place.line - line_ <= kMaxBlankLines;
    end_line();
    if (near) {
      for (uint32_t i = line_ + 1; i < place.line; ++i) out_ << "\n";
    } else if (place.line > 1 || !file_.empty()) {
      out_ << "#line " << (own_line_ && place.line > 0 ? place.line - 1 : place.line);
      print_file(place.file);
      out_ << "\n";
    }
    file_ = place.file;
    line_ = place.line;
  }

  /// GLSL names no files without an extension: a comment says where one begins.
  void print_file(std::string_view file) {
    if (glsl_ && file == file_) return;
    out_ << (glsl_ ? " // \"" : " \"");
    for (char c : file) {
      if (!glsl_ && (c == '"' || c == '\\')) out_ << '\\';
      out_ << (static_cast<unsigned char>(c) < 0x20 ? '?' : c);
    }
    out_ << '"';
  }

  bool would_join(std::string_view next) const {
    if (last_.empty() || next.empty()) return false;
    if (last_.back() == '/' && (next[0] == '/' || next[0] == '*')) return true;
    const std::string both = std::string(last_) + std::string(next);
    return plain_extent(both.data(), both.data() + both.size()) != last_.size();
  }

  void print_token(const Token& token) {
    go_to(sources_.place(token.loc));
    const std::string_view text = spelled(token);
    const bool space = (token.flags & kTokenSpaceBefore) != 0 || (token.flags & kTokenLineStart) != 0;
    if (at_start_) {
      const uint32_t column = sources_.place(token.loc).column;
      for (uint32_t i = 1; i < column && i < 60; ++i) out_ << ' ';
    } else if (space || would_join(text)) {
      out_ << ' ';
    }
    out_ << text;
    last_ = text;
    at_start_ = false;
  }

  const Preprocessed& result_;
  const SourceMap& sources_;
  const Names& names_;
  bool glsl_;
  bool own_line_ = false;
  TextSink out_;
  std::string_view file_;
  std::string_view last_;
  uint32_t line_ = 0;
  size_t extension_ = 0;
  size_t pragma_ = 0;
  bool at_start_ = true;
};

}  // namespace

std::string preprocessed_text(const Preprocessed& result, const SourceMap& sources, const Names& names,
                              PreprocessLanguage language) {
  return Printer(result, sources, names, language).run();
}

}  // namespace carry
