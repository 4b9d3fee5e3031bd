// Arithmetic of #if: 64 bits, as C has it. What is not evaluated (`0 && ...`) is only checked for its form.
#include "lex/literals.h"
#include "preprocess/preprocessor.h"

namespace carry {

namespace {

// Values of `defined` on their way through expansion: names that no identifier token of kind int_literal has otherwise.
constexpr uint32_t kDefinedTrue = 1;
constexpr uint32_t kDefinedFalse = 2;

struct Value {
  uint64_t bits = 0;
  bool is_unsigned = false;
};

int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::percent: return 10;
    case TokenKind::plus:
    case TokenKind::minus: return 9;
    case TokenKind::less_less:
    case TokenKind::greater_greater: return 8;
    case TokenKind::less:
    case TokenKind::greater:
    case TokenKind::less_equal:
    case TokenKind::greater_equal: return 7;
    case TokenKind::equal_equal:
    case TokenKind::bang_equal: return 6;
    case TokenKind::amp: return 5;
    case TokenKind::caret: return 4;
    case TokenKind::pipe: return 3;
    case TokenKind::amp_amp: return 2;
    case TokenKind::pipe_pipe: return 1;
    default: return 0;
  }
}

/// Parses and evaluates one expression. `Host` gives the text of tokens and takes the messages.
template <class Host>
class Evaluator {
 public:
  Evaluator(const std::vector<Token>& tokens, size_t first, Host& host, uint32_t max_depth)
      : tokens_(tokens), next_(first), host_(host), max_depth_(max_depth) {}

  bool run(Value& value, size_t& used) {
    const bool ok = ternary(value, true);
    used = next_;
    return ok;
  }

 private:
  [[nodiscard]] TokenKind peek() const {
    return next_ < tokens_.size() ? static_cast<TokenKind>(uint32_t{tokens_[next_].kind}) : TokenKind::eof;
  }

  bool ternary(Value& value, bool live) {
    if (!binary(value, 1, live)) return false;
    if (peek() != TokenKind::question || !host_.has_ternary()) return true;
    if (++depth_ > max_depth_) return host_.too_deep(tokens_[next_]);
    ++next_;
    const bool condition = value.bits != 0;
    Value yes;
    Value no;
    if (!ternary(yes, live && condition)) return false;
    if (peek() != TokenKind::colon) return host_.syntax(tokens_, next_);
    ++next_;
    if (!ternary(no, live && !condition)) return false;
    value.bits = condition ? yes.bits : no.bits;
    value.is_unsigned = yes.is_unsigned || no.is_unsigned;
    --depth_;
    return true;
  }

  bool binary(Value& left, int lowest, bool live) {
    if (!unary(left, live)) return false;
    for (int level; (level = precedence(peek())) >= lowest && level != 0;) {
      const size_t op = next_++;
      const TokenKind kind = static_cast<TokenKind>(uint32_t{tokens_[op].kind});
      bool right_live = live;
      if (kind == TokenKind::amp_amp) right_live = live && left.bits != 0;
      if (kind == TokenKind::pipe_pipe) right_live = live && left.bits == 0;
      Value right;
      if (!binary(right, level + 1, right_live)) return false;
      if (!apply(kind, left, right, live, op)) return false;
    }
    return true;
  }

  bool apply(TokenKind kind, Value& l, const Value& r, bool live, size_t op) {
    const bool both_signed = !l.is_unsigned && !r.is_unsigned;
    const uint64_t a = l.bits;
    const uint64_t b = r.bits;
    const auto sa = static_cast<int64_t>(a);
    const auto sb = static_cast<int64_t>(b);
    const auto arithmetic = [&](uint64_t v) { l = {v, !both_signed}; };
    const auto logical = [&](bool v) { l = {v ? 1u : 0u, false}; };
    switch (kind) {
      case TokenKind::star: arithmetic(a * b); break;
      case TokenKind::plus: arithmetic(a + b); break;
      case TokenKind::minus: arithmetic(a - b); break;
      case TokenKind::amp: arithmetic(a & b); break;
      case TokenKind::caret: arithmetic(a ^ b); break;
      case TokenKind::pipe: arithmetic(a | b); break;
      case TokenKind::less: logical(both_signed ? sa < sb : a < b); break;
      case TokenKind::greater: logical(both_signed ? sa > sb : a > b); break;
      case TokenKind::less_equal: logical(both_signed ? sa <= sb : a <= b); break;
      case TokenKind::greater_equal: logical(both_signed ? sa >= sb : a >= b); break;
      case TokenKind::equal_equal: logical(a == b); break;
      case TokenKind::bang_equal: logical(a != b); break;
      case TokenKind::amp_amp: logical(a != 0 && b != 0); break;
      case TokenKind::pipe_pipe: logical(a != 0 || b != 0); break;
      case TokenKind::less_less:
      case TokenKind::greater_greater: l.bits = shift(kind == TokenKind::less_less, l, r); break;
      case TokenKind::slash:
      case TokenKind::percent:
        if (b == 0) {
          l = {0, !both_signed};
          return live ? host_.division_by_zero(tokens_[op]) : true;
        }
        arithmetic(divide(kind == TokenKind::slash, a, b, both_signed));
        break;
      default: return false;
    }
    return true;
  }

  static uint64_t divide(bool quotient, uint64_t a, uint64_t b, bool is_signed) {
    if (!is_signed) return quotient ? a / b : a % b;
    if (b == ~uint64_t{0}) return quotient ? 0 - a : 0;  // by -1: wraps for the least value
    const auto sa = static_cast<int64_t>(a);
    const auto sb = static_cast<int64_t>(b);
    return static_cast<uint64_t>(quotient ? sa / sb : sa % sb);
  }

  /// A count outside 0..63, which C leaves open, shifts everything out; a negative one shifts the other way.
  static uint64_t shift(bool left, const Value& l, const Value& r) {
    uint64_t count = r.bits;
    if (!r.is_unsigned && static_cast<int64_t>(count) < 0) {
      left = !left;
      count = 0 - count;
    }
    const bool negative = !l.is_unsigned && static_cast<int64_t>(l.bits) < 0;
    if (left) return count > 63 ? 0 : l.bits << count;
    const uint64_t fill = negative ? ~uint64_t{0} : 0;
    if (count > 63) return fill;
    return count == 0 ? l.bits : l.bits >> count | fill << (64 - count);
  }

  bool unary(Value& value, bool live) {
    const size_t first = next_;
    while (peek() == TokenKind::plus || peek() == TokenKind::minus || peek() == TokenKind::tilde || peek() == TokenKind::bang) {
      ++next_;
    }
    size_t op = next_;
    if (!primary(value, live)) return false;
    while (op-- > first) {
      switch (static_cast<TokenKind>(uint32_t{tokens_[op].kind})) {
        case TokenKind::minus: value.bits = 0 - value.bits; break;
        case TokenKind::tilde: value.bits = ~value.bits; break;
        case TokenKind::bang: value = {value.bits == 0 ? 1u : 0u, false}; break;
        default: break;
      }
    }
    return true;
  }

  bool primary(Value& value, bool live) {
    if (next_ >= tokens_.size()) return host_.syntax(tokens_, next_);
    const Token& token = tokens_[next_];
    switch (static_cast<TokenKind>(uint32_t{token.kind})) {
      case TokenKind::l_paren:
        if (++depth_ > max_depth_) return host_.too_deep(token);
        ++next_;
        if (!ternary(value, live)) return false;
        if (peek() != TokenKind::r_paren) return host_.syntax(tokens_, next_);
        ++next_;
        --depth_;
        return true;
      case TokenKind::int_literal:
        ++next_;
        if (token.name != 0) {
          value = {token.name == kDefinedTrue ? 1u : 0u, false};
          return true;
        }
        return host_.number(token, value.bits, value.is_unsigned);
      case TokenKind::char_literal: ++next_; return host_.character(token, value.bits);
      case TokenKind::identifier: return host_.identifier(tokens_, next_, live, value.bits);
      default: return host_.syntax(tokens_, next_);
    }
  }

  const std::vector<Token>& tokens_;
  size_t next_;
  Host& host_;
  uint32_t max_depth_;
  uint32_t depth_ = 0;
};

/// What the evaluator asks of the preprocessor.
struct ConditionHost {
  const SourceMap& sources;
  const Names& names;
  Emitter& diags;
  bool glsl;
  bool es;
  Loc at;  // of the directive

  [[nodiscard]] bool has_ternary() const { return !glsl; }

  bool syntax(const std::vector<Token>& tokens, size_t i) {
    if (i < tokens.size()) {
      const auto kind = static_cast<TokenKind>(uint32_t{tokens[i].kind});
      const bool spelled = kind == TokenKind::identifier || kind > TokenKind::invalid;
      diags.emit(tokens[i].loc, diag::condition_syntax,
                 spelled ? "`" + std::string(sources.token_text(tokens[i].loc)) + "`" : std::string(token_kind_text(kind)));
    } else {
      diags.emit(at, diag::condition_syntax, "the end of the line");
    }
    return false;
  }
  bool too_deep(const Token& token) {
    diags.emit(token.loc, diag::condition_too_deep);
    return false;
  }
  bool division_by_zero(const Token& token) {
    diags.emit(token.loc, diag::condition_division_by_zero);
    return false;
  }
  bool number(const Token& token, uint64_t& bits, bool& is_unsigned) {
    const std::string_view text = sources.token_text(token.loc);
    const IntLiteral literal = read_int_literal(text);
    if (literal.malformed() || literal.overflow) {
      diags.emit(token.loc, diag::condition_bad_number, text);
      return false;
    }
    bits = literal.value;
    is_unsigned = literal.suffix_u || (literal.base != LiteralBase::decimal && literal.value >> 63 != 0);
    return true;
  }
  bool character(const Token& token, uint64_t& bits) {
    const std::string_view text = sources.token_text(token.loc);
    const CharLiteral literal = read_char_literal(text);
    if (literal.fault != nullptr) {
      diags.emit(token.loc, diag::bad_character_literal, text, literal.fault);
      return false;
    }
    bits = static_cast<uint64_t>(int64_t{literal.value});
    return true;
  }
  bool identifier(const std::vector<Token>& tokens, size_t& i, bool live, uint64_t& bits) {
    const Token& token = tokens[i++];
    const std::string_view name = names.text(NameId(uint32_t{token.name}));
    bits = 0;
    if (!glsl) {
      bits = name == "true" ? 1 : 0;
      return true;
    }
    if (!live) return true;
    // GLSL 3.3: an undefined name is an error. Desktop compilers take it as 0 and shaders rely on that.
    if (es) {
      diags.emit(token.loc, diag::undefined_in_condition, name);
      return false;
    }
    diags.emit(token.loc, diag::undefined_in_condition_is_zero, name);
    return true;
  }
};

}  // namespace

std::optional<int64_t> Preprocessor::constant(const Line& line, size_t first, size_t& used) {
  const Loc at = first < line.size() ? line[first].loc : Loc{};
  ConditionHost host{sources_, names_, diags_, glsl(), es(), at};
  Value value;
  Evaluator<ConditionHost> evaluator(line, first, host, options_.limits.condition_depth);
  if (!evaluator.run(value, used)) return std::nullopt;
  return static_cast<int64_t>(value.bits);
}

/// The expression of #if and #elif, from line[first]. False too after an error.
bool Preprocessor::condition(Loc at, const Line& line, size_t first) {
  if (first >= line.size()) {
    diags_.emit(at, diag::condition_missing, text(line[0]));
    return false;
  }
  // `defined X` comes before expansion, and also after it where an expansion wrote it.
  const auto resolve_defined = [&](const Line& in) -> std::optional<Line> {
    Line out;
    for (size_t i = 0; i < in.size(); ++i) {
      if (!is_kind(in[i], TokenKind::identifier) || NameId(uint32_t{in[i].name}) != words_.defined_) {
        out.push_back(in[i]);
        continue;
      }
      Token result = in[i];
      const bool paren = i + 1 < in.size() && is_kind(in[i + 1], TokenKind::l_paren);
      i += paren ? 2 : 1;
      const bool closed = !paren || (i + 1 < in.size() && is_kind(in[i + 1], TokenKind::r_paren));
      if (i >= in.size() || !is_kind(in[i], TokenKind::identifier) || !closed) {
        diags_.emit(result.loc, diag::bad_defined);
        return std::nullopt;
      }
      result.kind = static_cast<uint32_t>(TokenKind::int_literal);
      result.name = is_defined(in[i]) ? kDefinedTrue : kDefinedFalse;
      out.push_back(result);
      if (paren) ++i;
    }
    return out;
  };
  std::optional<Line> tokens = resolve_defined(Line(line.begin() + static_cast<std::ptrdiff_t>(first), line.end()));
  if (!tokens) return false;
  tokens = resolve_defined(expand_list(tokens->data(), tokens->data() + tokens->size()));
  if (!tokens || stopped_) return false;
  for (Token& token : *tokens) {
    if (is_kind(token, TokenKind::identifier) && extension_macro(token.name)) {
      token.kind = static_cast<uint32_t>(TokenKind::int_literal);
      token.name = kDefinedTrue;
    }
  }
  size_t used = 0;
  if (tokens->empty()) {
    diags_.emit(at, diag::condition_missing, text(line[0]));
    return false;
  }
  ConditionHost host{sources_, names_, diags_, glsl(), es(), at};
  Value value;
  Evaluator<ConditionHost> evaluator(*tokens, 0, host, options_.limits.condition_depth);
  if (!evaluator.run(value, used)) return false;
  if (used < tokens->size()) return host.syntax(*tokens, used);
  return value.bits != 0;
}

}  // namespace carry
