// Tokens of the text form.
#include "ir/parser.h"

namespace carry::ir {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

}  // namespace

void TextLexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

TextTok TextLexer::quoted(TextTok token) {
  const size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) {
    at_ = text_.size();
    token.kind = TextToken::bad;
    return token;
  }
  token.text = text_.substr(begin, at_ - begin);
  token.quoted = true;
  ++at_;
  const size_t suffix = at_;
  if (at_ < text_.size() && text_[at_] == '.') {
    ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }
  token.suffix = text_.substr(suffix, at_ - suffix);
  return token;
}

TextTok TextLexer::number(TextTok token) {
  const size_t begin = at_;
  if (text_[at_] == '-') ++at_;
  const bool hex = at_ + 1 < text_.size() && text_[at_] == '0' && text_[at_ + 1] == 'x';
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool sign = (c == '+' || c == '-') && !hex && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    if (!is_name_char(c) && !sign) break;
    ++at_;
  }
  // "7:u64", but not the "12:5" of a location.
  if (at_ + 1 < text_.size() && text_[at_] == ':' && is_letter(text_[at_ + 1])) {
    ++at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
  }
  token.kind = TextToken::number;
  token.text = text_.substr(begin, at_ - begin);
  return token;
}

TextTok TextLexer::next() {
  skip_space();
  TextTok token;
  token.offset = static_cast<uint32_t>(at_);
  if (at_ >= text_.size()) return token;
  const char c = text_[at_];
  const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (c == '"') {
    token.kind = TextToken::string;
    return quoted(token);
  }
  if (c == '%') {
    token.kind = TextToken::value;
    ++at_;
    if (after == '"') return quoted(token);
  } else if (c == '-' && after == '>') {
    token.kind = TextToken::arrow;
    token.text = text_.substr(at_, 2);
    at_ += 2;
    return token;
  } else if (is_digit(c) || (c == '-' && (is_digit(after) || after == '.'))) {
    return number(token);
  } else if (is_letter(c) || (c == '.' && is_digit(after))) {
    token.kind = TextToken::word;
  } else {
    token.kind = TextToken::punct;
    token.text = text_.substr(at_++, 1);
    return token;
  }
  const size_t begin = at_;
  while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
  token.text = text_.substr(begin, at_ - begin);
  if (token.text.empty()) token.kind = TextToken::bad;
  return token;
}

bool TextLexer::at_equals() {
  skip_space();
  return at_ < text_.size() && text_[at_] == '=';
}

bool Parser::fail_at(const TextTok& token, std::string message) {
  if (failed_) return false;
  failed_ = true;
  error_.line = 1;
  error_.column = 1;
  const std::string_view source = lexer_.source();
  for (size_t i = 0; i < token.offset && i < source.size(); ++i) {
    if (source[i] == '\n') {
      ++error_.line;
      error_.column = 1;
    } else {
      ++error_.column;
    }
  }
  error_.message = std::move(message);
  return false;
}

bool Parser::fail(std::string message) { return fail_at(token_, std::move(message)); }

bool Parser::accept(char c) {
  if (!is_punct(c)) return false;
  advance();
  return true;
}

bool Parser::expect(char c) { return accept(c) || fail(std::string("expected `") + c + "`"); }

bool Parser::expect_word(std::string_view& out, const char* what) {
  if (token_.kind != TextToken::word) return fail(std::string("expected ") + what);
  out = token_.text;
  advance();
  return true;
}

bool Parser::integer(uint32_t& out, uint32_t limit) {
  if (token_.kind != TextToken::number) return fail("expected a number");
  uint64_t v = 0;
  for (char c : token_.text) {
    if (!is_digit(c)) return fail("expected a whole number");
    v = v * 10 + static_cast<uint64_t>(c - '0');
    if (v > limit) return fail("the number is too large");
  }
  out = static_cast<uint32_t>(v);
  advance();
  return true;
}

NameId Parser::source_name(const TextTok& token) {
  if (token.quoted) {
    std::string text;
    for (size_t i = 0; i < token.text.size(); ++i) {
      const bool escape = token.text[i] == '\\' && i + 1 < token.text.size();
      if (escape) ++i;
      text += escape && token.text[i] == 'n' ? '\n' : token.text[i];
    }
    return m_.names().intern(text);
  }
  std::string_view text = token.text;
  size_t end = text.size();
  while (end > 0 && is_digit(text[end - 1])) --end;
  if (end == 0) return NameId::none();
  if (end < text.size() && text[end - 1] == '.') text = text.substr(0, end - 1);
  return text.empty() ? NameId::none() : m_.names().intern(text);
}

std::string Parser::key(const TextTok& token) {
  std::string text = token.quoted ? "\"" : "";
  text += token.text;
  if (token.quoted) text += token.suffix;
  return text;
}

}  // namespace carry::ir
