#include "preprocess/preprocess.h"

#include "lex/scan.h"
#include "preprocess/preprocessor.h"

namespace carry {

DirectiveNames::DirectiveNames(Names& names)
    : if_(names.intern("if")), else_(names.intern("else")), variable_arguments(names.intern("__VA_ARGS__")) {
#define X(word) word##_ = names.intern(#word);
  CARRY_DIRECTIVE_WORDS(X)
#undef X
}

Preprocessor::Preprocessor(SourceMap& sources, SourceId main, Names& names, Emitter& diags, const PreprocessOptions& options,
                           IncludeResolver* resolver)
    : sources_(sources), main_(main), names_(names), diags_(diags), options_(options), resolver_(resolver), words_(names) {}

bool Preprocessor::push_file(SourceId id, std::string identity) {
  if (!id) {
    diags_.emit(Loc{}, diag::sources_too_large);
    fail();
    return false;
  }
  auto file = std::make_unique<File>();
  file->id = id;
  file->buffer = scan(sources_, id, names_, diags_);
  file->cur = file->buffer.tokens.data();
  file->condition_base = conditions_.size();
  file->identity = std::move(identity);
  files_.push_back(std::move(file));
  return true;
}

std::string Preprocessor::predefined_text() const {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    text += "#define ";
    text += name;
    text += ' ';
    text += value;
    text += '\n';
  };
  if (glsl()) {
    const LanguageVersion version = result_.version.version;
    add("__VERSION__", std::to_string(version.number));
    if (version.profile == GlslProfile::es) {
      add("GL_ES", "1");
      add("GL_FRAGMENT_PRECISION_HIGH", "1");
      if (version.number >= 300) add("GL_es_profile", "1");
    } else if (version.number >= 150) {
      add("GL_core_profile", "1");
      if (version.profile == GlslProfile::compatibility) add("GL_compatibility_profile", "1");
    }
    if (options_.vulkan) add("VULKAN", "100");
  }
  for (const std::string& macro : options_.predefined) {
    const size_t equal = macro.find('=');
    add(macro.substr(0, equal), equal == std::string::npos ? "1" : std::string_view(macro).substr(equal + 1));
  }
  return text;
}

std::string Preprocessor::command_line_text() const {
  std::string text;
  for (const CommandLineMacro& macro : options_.macros) {
    std::string line = macro.definition;
    if (macro.undefine) {
      line = "#undef " + line;
    } else if (const size_t equal = line.find('='); equal != std::string::npos) {
      line = "#define " + line.substr(0, equal) + " " + line.substr(equal + 1);
    } else {
      line = "#define " + line + " 1";
    }
    for (char& c : line) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    text += line + " \n";  // the blank keeps a last backslash from joining lines
  }
  return text;
}

void Preprocessor::define_predefined() {
  const auto dynamic = [&](const char* name, MacroKind kind) {
    auto macro = std::make_unique<Macro>();
    macro->name = names_.intern(name);
    macro->kind = kind;
    macro->predefined = true;
    macros_.define(std::move(macro));
  };
  dynamic("__LINE__", MacroKind::line);
  dynamic("__FILE__", MacroKind::file);
  if (!glsl()) dynamic("__COUNTER__", MacroKind::counter);
  const auto run_text = [&](const char* name, std::string text) {
    const SourceId id = sources_.add_file(name, std::move(text));
    if (!push_file(id, name)) return id;
    Token token{};
    do read_expanded(token);
    while (!is_kind(token, TokenKind::eof));
    files_.pop_back();
    return id;
  };
  builtin_ = SourceId(sources_.file_count());
  builtin_ = run_text("<built-in>", predefined_text());
  command_line_ = SourceId(sources_.file_count());
  if (!options_.macros.empty()) run_text("<command line>", command_line_text());
}

Preprocessed Preprocessor::run() {
  if (!push_file(main_, std::string(sources_.name(main_)))) {
    result_.failed = true;
    result_.tokens.tokens.push_back(Token{});
    return std::move(result_);
  }
  find_version();
  // The main file waits below while the predefined macros are read.
  std::unique_ptr<File> main = std::move(files_.back());
  files_.pop_back();
  seen_.insert(main->identity);
  define_predefined();
  main->condition_base = conditions_.size();
  files_.push_back(std::move(main));
  for (size_t i = options_.includes.size(); i-- > 0;) {
    // Each is read before the main file, the first one first.
    enter_include({options_.includes[i], false, {}}, {sources_.loc(main_, 0), {}});
  }
  std::vector<Token>& out = result_.tokens.tokens;
  out.reserve(files_.front()->buffer.tokens.size());
  Token token{};
  while (!stopped_) {
    read_expanded(token);
    if (is_kind(token, TokenKind::eof)) break;
    if (is_kind(token, TokenKind::invalid)) {
      report_invalid(sources_, token, diags_);
      continue;
    }
    out.push_back(token);
  }
  result_.failed = stopped_;
  Token eof{};
  eof.loc = sources_.loc(main_, static_cast<uint32_t>(sources_.text(main_).size()));
  eof.kind = static_cast<uint32_t>(TokenKind::eof);
  eof.flags = kTokenLineStart;
  out.push_back(eof);
  return std::move(result_);
}

Preprocessed preprocess(SourceMap& sources, SourceId main, Names& names, Emitter& diags, const PreprocessOptions& options,
                        IncludeResolver* resolver) {
  return Preprocessor(sources, main, names, diags, options, resolver).run();
}

}  // namespace carry
