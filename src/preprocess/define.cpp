// #define and #undef.
#include <unordered_map>
#include <unordered_set>

#include "preprocess/preprocessor.h"

namespace carry {

namespace {

/// Position of a parameter by its name. Lists are short, but hostile ones must not cost their square.
class ParamIndex {
 public:
  explicit ParamIndex(const std::vector<NameId>& params) : params_(params) {
    if (params.size() <= kShort) return;
    for (size_t k = 0; k < params.size(); ++k) by_name_.emplace(params[k].value, static_cast<uint16_t>(k));
  }
  [[nodiscard]] uint16_t find(uint32_t name) const {
    if (params_.size() > kShort) {
      const auto found = by_name_.find(name);
      return found == by_name_.end() ? MacroToken::kNoParam : found->second;
    }
    for (size_t k = 0; k < params_.size(); ++k) {
      if (params_[k].value == name) return static_cast<uint16_t>(k);
    }
    return MacroToken::kNoParam;
  }

 private:
  static constexpr size_t kShort = 16;
  const std::vector<NameId>& params_;
  std::unordered_map<uint32_t, uint16_t> by_name_;
};

bool has_prefix(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

}  // namespace

bool Preprocessor::extension_macro(uint32_t name) const {
  if (!glsl() || options_.extensions.known == nullptr) return false;
  const std::string_view spelled = names_.text(NameId(name));
  return has_prefix(spelled, "GL_") && options_.extensions.known(spelled, result_.version.version);
}

bool Preprocessor::is_defined(const Token& name) { return macros_.find(name.name) != nullptr || extension_macro(name.name); }

/// The names that the language keeps for itself. What the user gives on the command line is let through.
bool Preprocessor::allowed_name(const Token& name, bool defining) {
  const SourceId file = files_.back()->id;
  if (file == builtin_) return true;
  const std::string_view spelled = text(name);
  const Macro* old = macros_.find(name.name);
  const bool dynamic = old != nullptr && old->kind >= MacroKind::line;
  if (NameId(uint32_t{name.name}) == words_.defined_ || (old != nullptr && old->predefined && (glsl() || dynamic))) {
    diags_.emit(name.loc, diag::reserved_macro_name, spelled);
    return false;
  }
  if (!glsl() || file == command_line_) return true;
  if (has_prefix(spelled, "GL_")) {
    diags_.emit(name.loc, diag::reserved_macro_name, spelled);
    return false;
  }
  if (defining && spelled.find("__") != std::string_view::npos) {
    diags_.emit(name.loc, diag::reserved_identifier, spelled);
  }
  return true;
}

bool Preprocessor::same_definition(const Macro& a, const Macro& b) const {
  if (a.kind != b.kind || a.variadic != b.variadic || a.params != b.params || a.body.size() != b.body.size()) {
    return false;
  }
  for (size_t i = 0; i < a.body.size(); ++i) {
    const MacroToken& x = a.body[i];
    const MacroToken& y = b.body[i];
    const bool same_space = i == 0 || (x.token.flags & kTokenSpaceBefore) == (y.token.flags & kTokenSpaceBefore);
    if (x.token.kind != y.token.kind || x.token.name != y.token.name || x.param != y.param || !same_space ||
        x.stringify != y.stringify || x.paste_after != y.paste_after) {
      return false;
    }
    if (x.token.name == 0 && x.token.kind <= static_cast<uint32_t>(TokenKind::invalid) &&
        sources_.token_text(x.token.loc) != sources_.token_text(y.token.loc)) {
      return false;
    }
  }
  return true;
}

/// `line[i]` follows the opening parenthesis; `i` ends after the closing one.
bool Preprocessor::read_params(const Line& line, size_t& i, Macro& macro) {
  const auto refuse = [&](size_t at) {
    const Token& token = at < line.size() ? line[at] : line.back();
    diags_.emit(token.loc, diag::bad_macro_parameters, text(line[1]));
    return false;
  };
  if (i < line.size() && is_kind(line[i], TokenKind::r_paren)) {
    ++i;
    return true;
  }
  std::unordered_set<uint32_t> seen;
  while (true) {
    if (i >= line.size() || macro.params.size() >= MacroToken::kNoParam) return refuse(i);
    NameId name(uint32_t{line[i].name});
    if (is_kind(line[i], TokenKind::ellipsis) && !glsl()) {
      macro.variadic = true;
      name = words_.variable_arguments;
    } else if (!is_kind(line[i], TokenKind::identifier)) {
      return refuse(i);
    }
    if (!seen.insert(name.value).second) {
      diags_.emit(line[i].loc, diag::duplicate_macro_parameter, text(line[i]));
      return false;
    }
    macro.params.push_back(name);
    ++i;
    if (!macro.variadic && i < line.size() && is_kind(line[i], TokenKind::ellipsis) && !glsl()) {
      macro.variadic = true;  // `name...`, as GNU has it
      ++i;
    }
    if (i < line.size() && is_kind(line[i], TokenKind::r_paren)) {
      ++i;
      return true;
    }
    if (macro.variadic || i >= line.size() || !is_kind(line[i], TokenKind::comma)) return refuse(i);
    ++i;
  }
}

bool Preprocessor::read_body(const Line& line, size_t i, Macro& macro) {
  const bool pastes = !glsl() || (!es() && result_.version.version.number >= 130);
  const ParamIndex params(macro.params);
  const auto param_of = [&](const Token& token) {
    return is_kind(token, TokenKind::identifier) ? params.find(token.name) : MacroToken::kNoParam;
  };
  for (const size_t first = i; i < line.size(); ++i) {
    MacroToken part;
    part.token = line[i];
    if (is_kind(part.token, TokenKind::hash_hash)) {
      if (!pastes) {
        diags_.emit(part.token.loc, diag::no_token_pasting);
        return false;
      }
      if (i == first || i + 1 == line.size()) {
        diags_.emit(part.token.loc, diag::paste_at_end);
        return false;
      }
      macro.body.back().paste_after = true;
      macro.plain = false;
      continue;
    }
    if (is_kind(part.token, TokenKind::hash) && macro.kind == MacroKind::function) {
      const uint16_t param = i + 1 < line.size() ? param_of(line[i + 1]) : MacroToken::kNoParam;
      if (glsl() || param == MacroToken::kNoParam) {
        diags_.emit(part.token.loc, glsl() ? diag::no_stringification : diag::stringify_not_parameter);
        return false;
      }
      part.param = param;
      part.stringify = true;
      macro.plain = false;
      ++i;
    } else {
      part.param = param_of(part.token);
    }
    macro.body.push_back(part);
  }
  return true;
}

void Preprocessor::do_define(const Line& line) {
  if (line.size() < 2 || !is_kind(line[1], TokenKind::identifier)) {
    diags_.emit(line.back().loc, diag::macro_name_missing, text(line[0]));
    return;
  }
  const Token& name = line[1];
  if (!allowed_name(name, true)) return;
  auto macro = std::make_unique<Macro>();
  macro->name = NameId(uint32_t{name.name});
  macro->loc = name.loc;
  macro->predefined = files_.back()->id == builtin_;
  size_t i = 2;
  if (i < line.size() && is_kind(line[i], TokenKind::l_paren) && (line[i].flags & kTokenSpaceBefore) == 0) {
    macro->kind = MacroKind::function;
    ++i;
    if (!read_params(line, i, *macro)) return;
  }
  if (!read_body(line, i, *macro)) return;
  if (const Macro* old = macros_.find(name.name)) {
    if (old->kind < MacroKind::line && same_definition(*old, *macro)) return;
    const bool warns = !glsl() || sources_.file_of(old->loc) == command_line_;
    if (warns) {
      diags_.emit(name.loc, diag::macro_redefined, text(name)).note(old->loc, diag::macro_defined_here, text(name));
    } else {
      diags_.emit(name.loc, diag::macro_redefinition, text(name)).note(old->loc, diag::macro_defined_here, text(name));
      return;
    }
  }
  macros_.define(std::move(macro));
}

void Preprocessor::do_undef(const Line& line) {
  if (line.size() < 2 || !is_kind(line[1], TokenKind::identifier)) {
    diags_.emit(line.back().loc, diag::macro_name_missing, text(line[0]));
    return;
  }
  end_line(line, 2);
  if (allowed_name(line[1], false)) macros_.undefine(line[1].name);
}

}  // namespace carry
