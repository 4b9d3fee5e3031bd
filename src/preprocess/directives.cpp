// Directives: finding their line, conditions, #include, #line, #error, #pragma.
#include "preprocess/preprocessor.h"

#include "source/token_extent.h"

namespace carry {

/// `hash` is the current token of the top file: takes its line out of the file.
Preprocessor::Line Preprocessor::take_line(const Token* hash) {
  const Token* end = hash + 1;
  while (!starts_line(*end)) ++end;  // eof starts a line too
  files_.back()->cur = end;
  return Line(hash + 1, end);
}

void Preprocessor::directive() {
  const Token hash = *files_.back()->cur;
  Line line = take_line(files_.back()->cur);
  if (diags_.at_limit()) return fail();
  if (!line.empty()) run_directive(hash, line);
}

void Preprocessor::run_directive(const Token& hash, Line& line) {
  const Token& word = line[0];
  const NameId name(uint32_t{word.name});
  if (!is_kind(word, TokenKind::identifier)) {
    // `# 12 "file"`, as other preprocessors write it.
    if (!glsl() && is_kind(word, TokenKind::int_literal)) {
      line.insert(line.begin(), word);
      return do_line(hash, line);
    }
    diags_.emit(word.loc, diag::unknown_directive, text(word));
    return;
  }
  if (name == words_.version_ && glsl()) return do_version(hash, line);
  if (run_condition(hash, line)) return;
  if (name == words_.define_) return do_define(line);
  if (name == words_.undef_) return do_undef(line);
  if (name == words_.include_) return do_include(hash, line);
  if (name == words_.line_) return do_line(hash, line);
  if (name == words_.error_ || name == words_.warning_) return do_message(hash, line);
  if (name == words_.pragma_) return do_pragma(hash, line);
  if (name == words_.extension_ && glsl()) return do_extension(hash, line);
  diags_.emit(word.loc, diag::unknown_directive, text(word));
}

void Preprocessor::end_line(const Line& line, size_t used) {
  if (used < line.size()) {
    diags_.emit(sources_.range(line[used].loc, line.back().loc), diag::extra_tokens, text(line[0]));
  }
}

bool Preprocessor::test_defined(const Line& line) {
  if (line.size() < 2 || !is_kind(line[1], TokenKind::identifier)) {
    diags_.emit(line.back().loc, diag::macro_name_missing, text(line[0]));
    return false;
  }
  end_line(line, 2);
  return is_defined(line[1]);
}

/// The conditional directives of an active group. False when `line` is none of them.
bool Preprocessor::run_condition(const Token& hash, const Line& line) {
  const NameId name(uint32_t{line[0].name});
  if (name == words_.if_) {
    open_condition(hash.loc, condition(line[0].loc, line, 1));
  } else if (name == words_.ifdef_) {
    open_condition(hash.loc, test_defined(line));
  } else if (name == words_.ifndef_) {
    const bool named = line.size() > 1 && is_kind(line[1], TokenKind::identifier);
    open_condition(hash.loc, !test_defined(line) && named);
  } else if (name == words_.elif_ || name == words_.else_ || name == words_.endif_) {
    if (conditions_.size() <= files_.back()->condition_base) {
      diags_.emit(line[0].loc, diag::conditional_without_if, text(line[0]));
      return true;
    }
    if (name == words_.endif_) {
      conditions_.pop_back();
      end_line(line, 1);
      return true;
    }
    // The active group ends here: nothing up to #endif is active.
    Condition& open = conditions_.back();
    if (open.seen_else) diags_.emit(line[0].loc, diag::conditional_after_else, text(line[0]));
    if (name == words_.else_) {
      open.seen_else = true;
      end_line(line, 1);
    }
    skip_group();
  } else {
    return false;
  }
  return true;
}

void Preprocessor::open_condition(Loc loc, bool active) {
  conditions_.push_back({loc, active, false});
  if (!active) skip_group();
}

/// Skips to the next group of the innermost condition that is active, or past its #endif.
void Preprocessor::skip_group() {
  File& file = *files_.back();
  uint32_t depth = 0;
  const Token* cur = file.cur;
  while (true) {
    while (!starts_line(*cur)) ++cur;
    if (is_kind(*cur, TokenKind::eof)) break;
    if (!is_kind(*cur, TokenKind::hash) || !is_kind(cur[1], TokenKind::identifier) || starts_line(cur[1])) {
      ++cur;
      continue;
    }
    const Token* hash = cur++;
    const NameId name(uint32_t{cur->name});
    if (name == words_.if_ || name == words_.ifdef_ || name == words_.ifndef_) {
      ++depth;
    } else if (name == words_.endif_) {
      if (depth-- != 0) continue;
      const Line line = take_line(hash);
      end_line(line, 1);
      conditions_.pop_back();
      return;
    } else if (depth == 0 && (name == words_.else_ || name == words_.elif_)) {
      const Line line = take_line(hash);
      cur = file.cur;
      Condition& open = conditions_.back();
      if (open.seen_else) {
        diags_.emit(line[0].loc, diag::conditional_after_else, text(line[0]));
        continue;
      }
      if (name == words_.else_) {
        open.seen_else = true;
        end_line(line, 1);
      }
      if (open.taken) continue;
      if (name == words_.else_ || condition(line[0].loc, line, 1)) {
        conditions_.back().taken = true;
        return;
      }
    }
  }
  file.cur = cur;
}

/// Text of the line from its token `first` on, as written.
std::string Preprocessor::line_text(const Line& line, size_t first) const {
  if (first >= line.size()) return {};
  const Loc begin = sources_.file_loc(line[first].loc);
  const Loc end = sources_.end_of(line.back().loc);
  const SourceId file = sources_.file_of(begin);
  const uint32_t from = begin.offset - sources_.loc(file, 0).offset;
  std::string out;
  const std::string_view raw = sources_.text(file).substr(from, end.offset - begin.offset);
  for (size_t i = 0; i < raw.size();) {
    if (const size_t splice = splice_size(raw.data() + i, raw.data() + raw.size())) {
      i += splice;
    } else {
      out += raw[i++];
    }
  }
  return out;
}

std::string Preprocessor::literal_text(const Token& token) const {
  const std::string_view quoted = sources_.token_text(token.loc);
  return std::string(quoted.substr(1, quoted.size() - 2));
}

/// The file named by an #include line (already expanded where it starts with a macro).
bool Preprocessor::include_name(const Line& line, std::string& name, bool& angled, LocRange& range) {
  if (line.size() < 2) return false;
  const Token& first = line[1];
  if (is_kind(first, TokenKind::string_literal)) {
    name = literal_text(first);
    range = {first.loc, {}};
    end_line(line, 2);
    return !name.empty();
  }
  if (!is_kind(first, TokenKind::less)) return false;
  angled = true;
  const bool direct = !sources_.is_expansion(first.loc);
  for (size_t i = 2; i < line.size(); ++i) {
    // `>` may stand in a longer token only at a name's end, which no file has.
    if (is_kind(line[i], TokenKind::greater)) {
      range = sources_.range(first.loc, line[i].loc);
      if (direct) {
        const Line inner(line.begin() + 2, line.begin() + static_cast<std::ptrdiff_t>(i));
        name = line_text(inner, 0);
      }
      end_line(line, i + 1);
      return !name.empty();
    }
    if (!direct) {
      if ((line[i].flags & kTokenSpaceBefore) != 0 && !name.empty()) name += ' ';
      const bool punctuation = line[i].kind > static_cast<uint32_t>(TokenKind::invalid);
      name += punctuation ? token_kind_text(static_cast<TokenKind>(uint32_t{line[i].kind})) : text(line[i]);
    }
  }
  return false;
}

void Preprocessor::do_include(const Token& hash, const Line& line) {
  const LocRange whole = sources_.range(hash.loc, line.back().loc);
  if (collecting_ != 0) {
    diags_.emit(whole, diag::include_in_arguments);
    return;
  }
  if (glsl() && !options_.include_without_extension && !include_reported_) {
    bool enabled = false;
    for (const ExtensionDirective& extension : result_.extensions) {
      const std::string_view name = names_.text(extension.name);
      if (name == "GL_GOOGLE_include_directive" || name == "GL_ARB_shading_language_include") {
        enabled = extension.behavior != ExtensionBehavior::disable;
      }
    }
    if (!enabled) {
      include_reported_ = true;
      // After the #version line where there is one.
      Loc at = sources_.loc(main_, 0);
      if (!result_.version.loc.is_none()) {
        const std::string_view rest = sources_.text(main_).substr(result_.version.loc.offset - at.offset);
        const size_t newline = rest.find('\n');
        if (newline != std::string_view::npos) {
          at.offset = result_.version.loc.offset + static_cast<uint32_t>(newline) + 1;
        }
      }
      diags_.emit(whole, diag::include_needs_extension).fix({at, at}, "#extension GL_GOOGLE_include_directive : require\n");
    }
  }
  std::string name;
  bool angled = false;
  LocRange range;
  Line expanded = line;
  if (line.size() > 1 && is_kind(line[1], TokenKind::identifier)) {
    expanded = expand_list(line.data() + 1, line.data() + line.size());
    expanded.insert(expanded.begin(), line[0]);
  }
  if (!include_name(expanded, name, angled, range)) {
    if (!stopped_) diags_.emit(whole, diag::include_name_missing);
    return;
  }
  enter_include({name, angled, sources_.name(files_.back()->id)}, range);
}

void Preprocessor::enter_include(const IncludeRequest& request, LocRange range) {
  IncludeResult found;
  if (resolver_ != nullptr) found = resolver_->resolve(request);
  if (found.status != IncludeResult::Status::found) {
    if (found.reason.empty()) {
      diags_.emit(range, diag::include_not_found, request.name);
    } else {
      diags_.emit(range, diag::include_failed, request.name, found.reason);
    }
    return;
  }
  if (seen_.insert(found.identity).second) result_.dependencies.push_back(found.path);
  if (once_.count(found.identity) != 0) return;
  if (files_.size() > options_.limits.include_depth) {
    diags_.emit(range, diag::include_too_deep, options_.limits.include_depth);
    return fail();
  }
  if (++includes_ > options_.limits.includes) {
    diags_.emit(range, diag::too_many_includes, options_.limits.includes);
    return fail();
  }
  const SourceId id = sources_.add_file(found.path, found.text, sources_.file_loc(range.begin));
  push_file(id, std::move(found.identity));
}

/// #line. GLSL before 3.30 and ESSL 1.00 say that the directive's own line has the number given; later texts and C give
/// it to the line that follows.
void Preprocessor::do_line(const Token& hash, const Line& line) {
  Line rest = expand_list(line.data() + 1, line.data() + line.size());
  const auto refuse = [&] {
    if (!stopped_) diags_.emit(sources_.range(hash.loc, line.back().loc), diag::bad_line_directive);
  };
  size_t used = 0;
  if (rest.empty()) return refuse();
  int64_t number = 0;
  if (glsl()) {
    const std::optional<int64_t> value = constant(rest, 0, used);
    if (!value) return;
    number = *value;
  } else {
    // Digits only, and decimal also with a leading zero.
    if (!is_kind(rest[0], TokenKind::int_literal)) return refuse();
    for (char c : text(rest[0])) {
      if (c < '0' || c > '9' || number > 0xffffffffll) return refuse();
      number = number * 10 + (c - '0');
    }
    used = 1;
  }
  if (number < 0 || number > 0x7fffffffll) return refuse();
  std::string file;
  if (used < rest.size() && is_kind(rest[used], TokenKind::string_literal)) {
    file = literal_text(rest[used++]);
  } else if (used < rest.size() && glsl()) {
    const std::optional<int64_t> source = constant(rest, used, used);
    if (!source) return;
    files_.back()->source_number = static_cast<uint32_t>(*source);
  }
  // Flags after the file name are those of other preprocessors' output.
  if (used < rest.size() && glsl()) return refuse();
  const LanguageVersion version = result_.version.version;
  const bool own_line = glsl() && (es() ? version.number < 300 : version.number < 330);
  sources_.set_line(sources_.file_loc(line.back().loc), static_cast<uint32_t>(number) + (own_line ? 1 : 0), file);
}

void Preprocessor::do_message(const Token& hash, const Line& line) {
  const LocRange range = sources_.range(hash.loc, line.back().loc);
  if (NameId(uint32_t{line[0].name}) == words_.error_) {
    diags_.emit(range, diag::error_directive, line_text(line, 1));
  } else {
    diags_.emit(range, diag::warning_directive, line_text(line, 1));
  }
}

void Preprocessor::do_pragma(const Token& hash, const Line& line) {
  if (line.size() > 1 && is_kind(line[1], TokenKind::identifier) && NameId(uint32_t{line[1].name}) == words_.once_) {
    once_.insert(files_.back()->identity);
    return;
  }
  PragmaDirective pragma;
  pragma.loc = hash.loc;
  pragma.tokens.assign(line.begin() + 1, line.end());
  pragma.before_token = static_cast<uint32_t>(result_.tokens.tokens.size());
  result_.pragmas.push_back(std::move(pragma));
}

}  // namespace carry
