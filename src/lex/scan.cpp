#include "lex/scan.h"

#include <cstring>

#include "source/token_extent.h"

namespace carry {

namespace {

bool is_digit(char c) { return (kCharClass[static_cast<unsigned char>(c)] & kCharDigit) != 0; }

TokenKind number_kind(std::string_view text) {
  const bool hex = text.size() > 1 && (text[1] | 0x20) == 'x';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') return TokenKind::float_literal;
    if (hex) {
      if ((c | 0x20) == 'p') return TokenKind::float_literal;
    } else if ((c | 0x20) == 'e' || (c | 0x20) == 'f' || (c | 0x20) == 'h') {
      return TokenKind::float_literal;
    }
  }
  return TokenKind::int_literal;
}

TokenKind pick(size_t size, TokenKind one, TokenKind two, TokenKind three = TokenKind::invalid) {
  return size == 1 ? one : size == 2 ? two : three;
}

/// `p` starts a punctuation of `size` bytes, as plain_extent measured it.
TokenKind punctuation_kind(const char* p, size_t size) {
  using enum TokenKind;
  const char n = size > 1 ? p[1] : '\0';
  switch (*p) {
    case '(': return l_paren;
    case ')': return r_paren;
    case '[': return l_bracket;
    case ']': return r_bracket;
    case '{': return l_brace;
    case '}': return r_brace;
    case '.': return size == 3 ? ellipsis : dot;
    case ',': return comma;
    case ';': return semicolon;
    case ':': return pick(size, colon, colon_colon);
    case '?': return question;
    case '~': return tilde;
    case '@': return at;
    case '#': return pick(size, hash, hash_hash);
    case '*': return pick(size, star, star_equal);
    case '/': return pick(size, slash, slash_equal);
    case '%': return pick(size, percent, percent_equal);
    case '!': return pick(size, bang, bang_equal);
    case '=': return pick(size, equal, equal_equal);
    case '+': return pick(size, plus, n == '=' ? plus_equal : plus_plus);
    case '-': return pick(size, minus, n == '=' ? minus_equal : n == '>' ? arrow : minus_minus);
    case '&': return pick(size, amp, n == '=' ? amp_equal : amp_amp);
    case '|': return pick(size, pipe, n == '=' ? pipe_equal : pipe_pipe);
    case '^': return pick(size, caret, n == '=' ? caret_equal : caret_caret);
    case '<': return pick(size, less, n == '=' ? less_equal : less_less, less_less_equal);
    case '>': return pick(size, greater, n == '=' ? greater_equal : greater_greater, greater_greater_equal);
    default: return invalid;
  }
}

/// Kind of the token with exactly this text, without splices.
TokenKind kind_of(std::string_view text) {
  const char c = text[0];
  const uint8_t bits = kCharClass[static_cast<unsigned char>(c)];
  if (bits & kCharIdentifierStart) return TokenKind::identifier;
  if (bits & kCharDigit || (c == '.' && text.size() > 1 && is_digit(text[1]))) return number_kind(text);
  if (c == '"' || c == '\'') {
    const bool closed = text.size() > (c == '"' ? 1u : 2u) && text.back() == c;
    if (!closed) return TokenKind::invalid;
    return c == '"' ? TokenKind::string_literal : TokenKind::char_literal;
  }
  return punctuation_kind(text.data(), text.size());
}

uint32_t name_of(std::string_view text, Names& names, bool& full) {
  const NameId id = names.intern(text);
  if (id.value <= kMaxNames) return id.value & kMaxNames;
  full = true;
  return 0;
}

class Scanner {
 public:
  Scanner(SourceMap& sources, SourceId file, Names& names, Emitter& diags)
      : sources_(sources), names_(names), diags_(diags), base_(sources.loc(file, 0)) {
    const std::string_view text = sources.text(file);
    begin_ = text.data();
    end_ = begin_ + text.size();
  }

  TokenBuffer run() {
    TokenBuffer buffer;
    if (!check_bytes()) {
      buffer.tokens.push_back(make(end_, TokenKind::eof, kTokenLineStart));
      return buffer;
    }
    buffer.tokens.reserve(static_cast<size_t>(end_ - begin_) / 4 + 16);
    flags_ = kTokenLineStart;
    const char* p = begin_;
    while ((p = skip_trivia(p)) < end_) p = token(p, buffer);
    buffer.tokens.push_back(make(end_, TokenKind::eof, kTokenLineStart));
    return buffer;
  }

 private:
  Loc loc(const char* p) const { return Loc{base_.offset + static_cast<uint32_t>(p - begin_)}; }

  Token make(const char* p, TokenKind kind, uint32_t flags) const {
    Token token{};
    token.loc = loc(p);
    token.kind = static_cast<uint32_t>(kind) & 0xffu;
    token.flags = flags & 0xfu;
    return token;
  }

  bool check_bytes() {
    const auto size = static_cast<size_t>(end_ - begin_);
    const std::string_view start(begin_, size < 2 ? size : 2);
    if (start == "\xff\xfe" || start == "\xfe\xff") {
      diags_.emit(loc(begin_), diag::source_not_utf8);
      return false;
    }
    if (size == 0) return true;
    if (const void* nul = std::memchr(begin_, 0, size)) {
      diags_.emit(loc(static_cast<const char*>(nul)), diag::nul_byte);
    }
    return true;
  }

  const char* line_comment(const char* p) const {
    while (p < end_) {
      const void* found = std::memchr(p, '\n', static_cast<size_t>(end_ - p));
      if (found == nullptr) return end_;
      const char* newline = static_cast<const char*>(found);
      const char* last = newline[-1] == '\r' ? newline - 2 : newline - 1;  // the comment's `//` is before
      if (*last != '\\') return newline;
      p = newline + 1;
    }
    return end_;
  }

  const char* block_comment(const char* open, const char* p) {
    while (p < end_) {
      const void* found = std::memchr(p, '*', static_cast<size_t>(end_ - p));
      if (found == nullptr) break;
      p = static_cast<const char*>(found) + 1;
      const char* q = p;
      while (const size_t splice = splice_size(q, end_)) q += splice;
      if (q < end_ && *q == '/') return q + 1;
    }
    diags_.emit(LocRange{loc(open), loc(open + 2)}, diag::unterminated_comment);
    return end_;
  }

  /// To the next token; sets flags_.
  const char* skip_trivia(const char* p) {
    while (p < end_) {
      const char c = *p;
      if (c == '\n') {
        flags_ = kTokenLineStart;
        ++p;
      } else if (kCharClass[static_cast<unsigned char>(c)] & kCharBlank || c == '\0') {
        flags_ |= kTokenSpaceBefore;
        ++p;
      } else if (c == '/') {
        const char* q = p + 1;
        while (const size_t splice = splice_size(q, end_)) q += splice;
        if (q < end_ && *q == '/') {
          p = line_comment(q + 1);
        } else if (q < end_ && *q == '*') {
          p = block_comment(p, q + 1);
        } else {
          return p;
        }
        flags_ |= kTokenSpaceBefore;
      } else if (const size_t splice = splice_size(p, end_)) {
        p += splice;
      } else {
        return p;
      }
    }
    return p;
  }

  const char* token(const char* p, TokenBuffer& buffer) {
    const size_t size = plain_extent(p, end_);
    if (p + size < end_ && p[size] == '\\' && splice_size(p + size, end_) != 0) return spliced(p, buffer);
    buffer.tokens.push_back(finish(p, std::string_view(p, size)));
    return p + size;
  }

  Token finish(const char* p, std::string_view text) {
    Token token = make(p, kind_of(text), flags_);
    flags_ = 0;
    if (token.kind == static_cast<uint32_t>(TokenKind::identifier)) {
      bool full = false;
      token.name = name_of(text, names_, full) & kMaxNames;
      if (full && !reported_full_) {
        reported_full_ = true;
        diags_.emit(token.loc, diag::too_many_names, kMaxNames);
      }
    }
    return token;
  }

  const char* spliced(const char* p, TokenBuffer& buffer) {
    const SplicedToken clean = spliced_token(std::string_view(p, static_cast<size_t>(end_ - p)));
    Token token = finish(p, clean.text);
    // Readers of literals want clean text.
    const auto kind = static_cast<TokenKind>(token.kind);
    if (clean.raw_size != clean.text.size() && kind >= TokenKind::int_literal && kind <= TokenKind::char_literal) {
      const Loc text = sources_.add_text(clean.text, token.loc);
      if (!text.is_none()) token.loc = text;
    }
    buffer.tokens.push_back(token);
    return p + clean.raw_size;
  }

  SourceMap& sources_;
  Names& names_;
  Emitter& diags_;
  Loc base_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  uint32_t flags_ = 0;
  bool reported_full_ = false;
};

}  // namespace

TokenBuffer scan(SourceMap& sources, SourceId file, Names& names, Emitter& diags) {
  return Scanner(sources, file, names, diags).run();
}

void report_invalid(const SourceMap& sources, Token token, Emitter& diags) {
  const std::string_view text = sources.token_text(token.loc);
  if (text.empty()) return;
  if (text[0] == '"') {
    diags.emit(token.loc, diag::unterminated_string);
    return;
  }
  const auto c = static_cast<unsigned char>(text[0]);
  if (c < 0x20 || c == 0x7f || c >= 0x80) {
    constexpr char kHex[] = "0123456789ABCDEF";
    const char bytes[] = {'0', 'x', kHex[c >> 4], kHex[c & 15], '\0'};
    diags.emit(token.loc, diag::byte_not_allowed, bytes);
  } else {
    diags.emit(token.loc, diag::character_not_allowed, text.substr(0, 1));
  }
}

Token scan_one(std::string_view text, Names& names) {
  Token token{};
  token.kind = static_cast<uint32_t>(TokenKind::invalid) & 0xffu;
  if (text.empty() || plain_extent(text.data(), text.data() + text.size()) != text.size()) return token;
  token.kind = static_cast<uint32_t>(kind_of(text)) & 0xffu;
  bool full = false;
  if (token.kind == static_cast<uint32_t>(TokenKind::identifier)) token.name = name_of(text, names, full) & kMaxNames;
  return token;
}

}  // namespace carry
