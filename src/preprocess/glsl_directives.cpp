// #version and #extension.
#include <utility>

#include "lex/literals.h"
#include "preprocess/preprocessor.h"

namespace carry {

namespace {

/// "GLSL 4.50", "ESSL 3.10"
std::string version_name(LanguageVersion v) {
  const std::string cents = std::to_string(v.number % 100);
  return std::string(v.profile == GlslProfile::es ? "ESSL " : "GLSL ") + std::to_string(v.number / 100) + "." +
         (cents.size() < 2 ? "0" : "") + cents;
}

}  // namespace

bool complete_version(LanguageVersion& version) {
  const bool es_given = version.profile == GlslProfile::es;
  switch (version.number) {
    case 100:
      if (version.profile != GlslProfile::none && !es_given) return false;
      version.profile = GlslProfile::es;
      return true;
    case 300:
    case 310:
    case 320: return es_given;
    case 110:
    case 120:
    case 130:
    case 140: return version.profile == GlslProfile::none;
    case 150:
    case 330:
    case 400:
    case 410:
    case 420:
    case 430:
    case 440:
    case 450:
    case 460:
      if (version.profile == GlslProfile::none) version.profile = GlslProfile::core;
      return !es_given;
    default: return false;
  }
}

/// Before anything else: the version decides on the predefined macros.
void Preprocessor::find_version() {
  VersionDirective& found = result_.version;
  found.version = options_.default_version;
  if (!glsl()) {
    if (found.version.number == 0) found.version.number = 2021;
    return;
  }
  const std::vector<Token>& tokens = files_.back()->buffer.tokens;
  if (tokens.size() > 2 && is_kind(tokens[0], TokenKind::hash) && is_kind(tokens[1], TokenKind::identifier) &&
      NameId(uint32_t{tokens[1].name}) == words_.version_ && !starts_line(tokens[1])) {
    const Token* cur = files_.back()->cur;
    const Line line = take_line(cur);
    files_.back()->cur = cur;
    found.loc = tokens[0].loc;
    LanguageVersion version;
    if (read_version(line, version, true)) {
      found.version = version;
      return;
    }
  }
  if (found.version.number != 0 && complete_version(found.version)) return;
  found.version = {110, GlslProfile::none};
  for (const Token& token : tokens) {
    if (!is_kind(token, TokenKind::identifier)) continue;
    const std::string_view name = text(token);
    if (name == "precision" || name == "mediump" || name == "highp" || name == "lowp") {
      found.version = {100, GlslProfile::es};
      break;
    }
  }
  if (!found.loc.is_none()) {
    found.version = {450, GlslProfile::core};  // after an error: the widest rules give the fewest false messages
    return;
  }
  diags_.emit(sources_.loc(main_, 0), diag::version_assumed,
              found.version.number == 100 ? "ESSL 1.00, since it has a precision qualifier" : "GLSL 1.10");
}

bool Preprocessor::read_version(const Line& line, LanguageVersion& version, bool report) {
  const auto refuse = [&](Loc loc, std::string_view what) {
    if (report) diags_.emit(loc, diag::bad_version, what);
    return false;
  };
  if (line.size() < 2 || !is_kind(line[1], TokenKind::int_literal)) {
    return refuse(line.back().loc, "a number must follow");
  }
  const IntLiteral number = read_int_literal(text(line[1]));
  const std::string spelled(text(line[1]));
  if (number.malformed() || !number.suffix.empty() || number.value > 9999 || number.overflow) {
    return refuse(line[1].loc, "there is no version " + spelled);
  }
  version.number = static_cast<uint32_t>(number.value);
  if (line.size() > 2) {
    const std::string_view profile = text(line[2]);
    if (profile == "es") {
      version.profile = GlslProfile::es;
    } else if (profile == "core") {
      version.profile = GlslProfile::core;
    } else if (profile == "compatibility") {
      version.profile = GlslProfile::compatibility;
    } else {
      return refuse(line[2].loc, "the profile is `core`, `compatibility` or `es`");
    }
    if (line.size() > 3) return refuse(line[3].loc, "nothing may follow the profile");
  }
  if (complete_version(version)) return true;
  const bool needs_es = version.number == 300 || version.number == 310 || version.number == 320;
  if (needs_es && line.size() == 2) {
    if (report) {
      const Loc end = sources_.end_of(line[1].loc);
      diags_.emit(line[1].loc, diag::bad_version, "version " + spelled + " is an ES version: `es` must follow")
          .fix({end, end}, " es");
    }
    return false;
  }
  const size_t culprit = line.size() > 2 ? 2 : 1;
  const std::string with = line.size() > 2 ? " with this profile" : "";
  return refuse(line[culprit].loc, "there is no version " + spelled + with);
}

void Preprocessor::do_version(const Token& hash, const Line& line) {
  if (hash.loc == result_.version.loc) return;  // find_version has read it
  const LocRange range = sources_.range(hash.loc, line.back().loc);
  if (!result_.version.loc.is_none()) {
    if (std::exchange(version_reported_, true)) return;
    diags_.emit(range, diag::version_again).note(result_.version.loc, diag::version_here);
    return;
  }
  diags_.emit(range, diag::version_not_first);
  LanguageVersion version;
  if (!read_version(line, version, false)) return;
  result_.version = {hash.loc, version};  // what follows was written for it
}

void Preprocessor::do_extension(const Token& hash, const Line& line) {
  const LocRange range = sources_.range(hash.loc, line.back().loc);
  const bool form = line.size() >= 4 && is_kind(line[1], TokenKind::identifier) && is_kind(line[2], TokenKind::colon) &&
                    is_kind(line[3], TokenKind::identifier);
  if (!form) {
    diags_.emit(range, diag::bad_extension_directive);
    return;
  }
  end_line(line, 4);
  ExtensionDirective extension;
  extension.loc = hash.loc;
  extension.name_loc = line[1].loc;
  extension.name = NameId(uint32_t{line[1].name});
  extension.before_token = static_cast<uint32_t>(result_.tokens.tokens.size());
  const std::string_view behavior = text(line[3]);
  if (behavior == "require") {
    extension.behavior = ExtensionBehavior::require;
  } else if (behavior == "enable") {
    extension.behavior = ExtensionBehavior::enable;
  } else if (behavior == "warn") {
    extension.behavior = ExtensionBehavior::warn;
  } else if (behavior != "disable") {
    diags_.emit(line[3].loc, diag::bad_extension_behavior, behavior);
    return;
  }
  const std::string_view name = text(line[1]);
  const bool asks = extension.behavior >= ExtensionBehavior::enable;
  if (name == "all") {
    if (asks) {
      diags_.emit(line[3].loc, diag::all_extensions_enabled, behavior);
      return;
    }
  } else if (options_.extensions.known != nullptr && name != "GL_GOOGLE_include_directive" &&
             name != "GL_GOOGLE_cpp_style_line_directive" && name != "GL_ARB_shading_language_include" &&
             !options_.extensions.known(name, result_.version.version)) {
    const std::string version = version_name(result_.version.version);
    if (extension.behavior == ExtensionBehavior::require) {
      diags_.emit(line[1].loc, diag::extension_required_unknown, name, version);
    } else {
      diags_.emit(line[1].loc, diag::extension_unknown, name, version);
    }
    return;
  }
  // ESSL 3.00, 3.4: after any token that is no directive it is an error.
  if (es() && result_.version.version.number >= 300 && !result_.tokens.tokens.empty()) {
    diags_.emit(range, diag::extension_after_code);
  }
  result_.extensions.push_back(extension);
}

}  // namespace carry
