// Reading tokens from the stack of files and expansions, and deciding what expands. A macro's name is not expanded while
// its own expansion is being rescanned, and a token kept back for that reason never expands later (C11 6.10.3.4).
#include "preprocess/preprocessor.h"

namespace carry {

void Preprocessor::read_file_token(Token& token) {
  while (true) {
    File& file = *files_.back();
    token = *file.cur;
    if (!starts_line(token)) break;
    if (is_kind(token, TokenKind::hash)) {
      directive();
      if (stopped_) break;
      continue;
    }
    if (!is_kind(token, TokenKind::eof)) break;
    if (collecting_ != 0) return;
    while (conditions_.size() > file.condition_base) {
      diags_.emit(conditions_.back().loc, diag::unterminated_conditional);
      conditions_.pop_back();
    }
    if (files_.size() == 1) return;
    files_.pop_back();
  }
  if (stopped_) {
    token = Token{};
    token.kind = static_cast<uint32_t>(TokenKind::eof);
    return;
  }
  ++files_.back()->cur;
}

void Preprocessor::pop_context() {
  Context& top = contexts_.back();
  if (top.macro != nullptr) --top.macro->active;
  top.tokens.clear();
  if (spare_.size() < 64) spare_.push_back(std::move(top.tokens));
  contexts_.pop_back();
}

std::vector<Token> Preprocessor::take_buffer() {
  if (spare_.empty()) return {};
  std::vector<Token> buffer = std::move(spare_.back());
  spare_.pop_back();
  return buffer;
}

void Preprocessor::push_context(std::vector<Token> tokens, Macro* macro, bool barrier) {
  if (macro != nullptr) ++macro->active;
  contexts_.push_back({std::move(tokens), 0, macro, barrier});
}

/// The next token without expansion. At the end of a barrier's list, and of the input, it is eof.
void Preprocessor::read_raw(Token& token) {
  while (!contexts_.empty()) {
    Context& top = contexts_.back();
    if (top.next < top.tokens.size()) {
      token = top.tokens[top.next++];
      break;
    }
    if (top.barrier) {
      token = Token{};
      token.kind = static_cast<uint32_t>(TokenKind::eof);
      return;
    }
    pop_context();
  }
  if (contexts_.empty()) read_file_token(token);
  if (!is_kind(token, TokenKind::identifier)) return;
  const Macro* macro = macros_.find(token.name);
  if (macro != nullptr && macro->active != 0) token.flags |= kTokenNoExpand;
}

void Preprocessor::read_expanded(Token& token) {
  while (true) {
    read_raw(token);
    if (!is_kind(token, TokenKind::identifier) || (token.flags & kTokenNoExpand) != 0) return;
    Macro* macro = macros_.find(token.name);
    if (macro == nullptr || !try_expand(token, *macro)) return;
  }
}

/// Whether `(` follows, past the ends of expansions. Nothing is consumed; a directive counts as no parenthesis.
bool Preprocessor::next_is_paren() {
  for (size_t i = contexts_.size(); i-- > 0;) {
    const Context& context = contexts_[i];
    if (context.next < context.tokens.size()) return is_kind(context.tokens[context.next], TokenKind::l_paren);
    if (context.barrier) return false;
  }
  return is_kind(*files_.back()->cur, TokenKind::l_paren);
}

/// False: the token stands as it is (perhaps changed: a dynamic macro gives its value in place).
bool Preprocessor::try_expand(Token& token, Macro& macro) {
  switch (macro.kind) {
    case MacroKind::line:
    case MacroKind::file:
    case MacroKind::counter: expand_builtin(token, macro); return false;
    case MacroKind::object: {
      std::vector<Argument> none;
      substitute(token, macro, none, token.loc);
      return true;
    }
    case MacroKind::function: break;
  }
  if (!next_is_paren()) return false;
  std::vector<Argument> arguments;
  Loc last = token.loc;
  if (!read_arguments(token, macro, arguments, last)) {
    token.flags |= kTokenNoExpand;
    return false;
  }
  substitute(token, macro, arguments, last);
  return true;
}

void Preprocessor::expand_builtin(Token& token, const Macro& macro) {
  const Place place = sources_.place(token.loc);
  std::string text;
  TokenKind kind = TokenKind::int_literal;
  if (macro.kind == MacroKind::line) {
    text = std::to_string(place.line);
  } else if (macro.kind == MacroKind::counter) {
    text = std::to_string(counter_++);
  } else if (glsl()) {
    text = std::to_string(files_.back()->source_number);
  } else {
    kind = TokenKind::string_literal;
    text = "\"";
    for (char c : place.file) {
      if (c == '"' || c == '\\') text += '\\';
      text += c == '\n' ? ' ' : c;
    }
    text += '"';
  }
  token = added_token(text, kind, token.loc, token.flags);
}

/// Expands a list on its own, as arguments and #if are.
std::vector<Token> Preprocessor::expand_list(const Token* begin, const Token* end) {
  std::vector<Token> out = take_buffer();
  std::vector<Token> input = take_buffer();
  input.assign(begin, end);
  push_context(std::move(input), nullptr, true);
  const size_t depth = contexts_.size();
  Token token{};
  while (!stopped_) {
    read_expanded(token);
    if (is_kind(token, TokenKind::eof)) break;
    out.push_back(token);
  }
  while (contexts_.size() >= depth) pop_context();
  return out;
}

}  // namespace carry
