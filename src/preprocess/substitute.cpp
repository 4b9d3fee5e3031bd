// A macro's arguments and its body with them in place.
#include "lex/scan.h"
#include "preprocess/preprocessor.h"
#include "source/token_extent.h"

namespace carry {

namespace {

/// Stands for an empty argument next to `##`.
bool is_placemarker(const Token& token) { return is_kind(token, TokenKind::eof); }

Token placemarker() {
  Token token{};
  token.kind = static_cast<uint32_t>(TokenKind::eof);
  return token;
}

}  // namespace

bool Preprocessor::count_tokens(size_t count, Loc loc) {
  if (stopped_) return false;
  if (count > options_.limits.expanded_tokens - expanded_tokens_) {
    diags_.emit(loc, diag::expansion_too_large, options_.limits.expanded_tokens);
    fail();
    return false;
  }
  expanded_tokens_ += static_cast<uint32_t>(count);
  return true;
}

Token Preprocessor::added_token(std::string_view text, TokenKind kind, Loc origin, uint32_t flags) {
  Token token{};
  token.loc = sources_.add_text(text, origin);
  if (token.loc.is_none()) fail();
  token.kind = static_cast<uint32_t>(kind) & 0xffu;
  token.flags = flags & 0xfu;
  if (kind == TokenKind::identifier) token.name = names_.intern(text).value & kMaxNames;
  return token;
}

/// Reads "(...)" after the name. False, with a message, when the call is no call; what was read is gone then.
bool Preprocessor::read_arguments(const Token& name, Macro& macro, std::vector<Argument>& arguments, Loc& last) {
  Token token{};
  ++collecting_;
  read_raw(token);  // the parenthesis
  arguments.emplace_back();
  bool nothing = true;
  for (uint32_t depth = 0;;) {
    read_raw(token);
    if (is_kind(token, TokenKind::eof)) {
      --collecting_;
      if (!stopped_) {
        diags_.emit(name.loc, diag::unterminated_macro_call, text(name)).note(macro.loc, diag::macro_defined_here, text(name));
      }
      return false;
    }
    if (is_kind(token, TokenKind::r_paren) && depth-- == 0) break;
    if (is_kind(token, TokenKind::l_paren)) ++depth;
    nothing = false;
    const bool rest = macro.variadic && arguments.size() == macro.params.size();
    if (is_kind(token, TokenKind::comma) && depth == 0 && !rest) {
      arguments.emplace_back();
      if (!count_tokens(1, name.loc)) break;
      continue;
    }
    if (starts_line(token)) token.flags = kTokenSpaceBefore;
    // Calls nested in arguments are read once for each call around them.
    if (argument_depth_ != 0 && !count_tokens(1, name.loc)) break;
    arguments.back().raw.push_back(token);
  }
  --collecting_;
  last = token.loc;
  return fit_arguments(name, macro, arguments, nothing, last);
}

bool Preprocessor::fit_arguments(const Token& name, const Macro& macro, std::vector<Argument>& arguments, bool nothing,
                                 Loc last) {
  const size_t want = macro.params.size();
  if (nothing && want == 0) arguments.clear();
  if (macro.variadic && arguments.size() + 1 == want) arguments.emplace_back();  // no variable arguments at all
  if (arguments.size() == want) return !stopped_;
  if (!stopped_) {
    diags_.emit(sources_.range(name.loc, last), diag::macro_argument_count, text(name), want, arguments.size())
        .note(macro.loc, diag::macro_defined_here, text(name));
  }
  return false;
}

const std::vector<Token>& Preprocessor::expanded_argument(Argument& argument) {
  if (argument.is_expanded) return argument.expanded;
  argument.is_expanded = true;
  if (argument_depth_ >= options_.limits.argument_depth) {
    if (!stopped_) diags_.emit(argument.raw[0].loc, diag::macro_nesting, options_.limits.argument_depth);
    fail();
    return argument.expanded;
  }
  ++argument_depth_;
  const Token* begin = argument.raw.data();
  argument.expanded = expand_list(begin, begin + argument.raw.size());
  --argument_depth_;
  return argument.expanded;
}

Token Preprocessor::stringify(const std::vector<Token>& tokens, Loc at) {
  std::string out = "\"";
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (i != 0 && (token.flags & kTokenSpaceBefore) != 0) out += ' ';
    const bool quoted = is_kind(token, TokenKind::string_literal) || is_kind(token, TokenKind::char_literal);
    const bool punctuation = token.kind > static_cast<uint32_t>(TokenKind::invalid);
    const std::string_view spelled = punctuation ? token_kind_text(static_cast<TokenKind>(token.kind)) : text(token);
    for (char c : spelled) {
      if (c == '"' || (quoted && c == '\\')) out += '\\';
      out += c;
    }
  }
  out += '"';
  return added_token(out, TokenKind::string_literal, at, kTokenSpaceBefore);
}

/// Joins the last token before out[left] with out[left].
void Preprocessor::paste(std::vector<Piece>& out, size_t left, const MacroToken& op) {
  Piece& a = out[left - 1];
  const Piece b = out[left];
  const auto drop = [&] { out.erase(out.begin() + static_cast<std::ptrdiff_t>(left)); };
  if (is_placemarker(b.token)) return drop();
  if (is_placemarker(a.token)) {
    a = b;
    return drop();
  }
  const auto spelled = [&](const Token& token) {
    const bool punctuation = token.kind > static_cast<uint32_t>(TokenKind::invalid);
    return punctuation ? token_kind_text(static_cast<TokenKind>(token.kind)) : text(token);
  };
  std::string joined(spelled(a.token));
  joined += spelled(b.token);
  const Token kind = scan_one(joined, names_);
  if (is_kind(kind, TokenKind::invalid)) {
    diags_.emit(op.token.loc, diag::bad_paste, spelled(a.token), spelled(b.token));
    return;
  }
  const uint32_t flags = a.token.flags & kTokenSpaceBefore;
  a.token = added_token(joined, static_cast<TokenKind>(uint32_t{kind.kind}), op.token.loc, flags);
  a.from_argument = false;
  drop();
}

/// Puts what `part` of a body stands for at the end of `out`; `pasted`: it is an operand of `##`.
void Preprocessor::append_piece(const MacroToken& part, bool pasted, std::vector<Argument>& arguments, std::vector<Piece>& out,
                                const Macro& macro) {
  if (part.param == MacroToken::kNoParam) {
    out.push_back({part.token, false});
    return;
  }
  Argument& argument = arguments[part.param];
  if (part.stringify) {
    Token token = stringify(argument.raw, part.token.loc);
    token.flags = part.token.flags;
    out.push_back({token, false});
    return;
  }
  const std::vector<Token>& tokens = pasted ? argument.raw : expanded_argument(argument);
  if (!count_tokens(tokens.size() + 1, macro.loc)) return;
  const size_t first = out.size();
  for (const Token& token : tokens) out.push_back({token, true});
  if (out.size() == first) {
    if (pasted) out.push_back({placemarker(), true});
  } else {
    const uint32_t flags = (out[first].token.flags & kTokenNoExpand) | (part.token.flags & kTokenSpaceBefore);
    out[first].token.flags = flags & 0xfu;
  }
}

void Preprocessor::substitute(const Token& name, Macro& macro, std::vector<Argument>& arguments, Loc last) {
  if (stopped_) return;
  std::vector<Piece> pieces;
  pieces.reserve(macro.body.size() + 4);
  bool pasting = false;
  const MacroToken* op = nullptr;
  for (size_t i = 0; i < macro.body.size(); ++i) {
    const MacroToken& part = macro.body[i];
    // `, ## __VA_ARGS__`: the comma goes when there are no variable arguments, else nothing is pasted.
    const bool comma_rule = pasting && macro.variadic && part.param + 1u == macro.params.size() && !pieces.empty() &&
                            is_kind(pieces.back().token, TokenKind::comma) && !pieces.back().from_argument;
    const size_t first = pieces.size();
    append_piece(part, (pasting && !comma_rule) || part.paste_after, arguments, pieces, macro);
    if (stopped_) return;
    if (comma_rule) {
      if (arguments[part.param].raw.empty()) pieces.resize(first - 1);
    } else if (pasting && first != 0 && first < pieces.size()) {
      paste(pieces, first, *op);
    }
    pasting = part.paste_after;
    op = &part;
  }
  std::vector<Token> tokens = take_buffer();
  expansion_.clear();
  for (const Piece& piece : pieces) {
    if (is_placemarker(piece.token)) continue;
    tokens.push_back(piece.token);
    expansion_.push_back({piece.token.loc, piece.from_argument});
  }
  if (!count_tokens(tokens.size() + 1, name.loc)) return;
  if (!tokens.empty()) {
    Loc loc = sources_.add_expansion(name.loc, last, expansion_.data(), static_cast<uint32_t>(tokens.size()));
    if (loc.is_none()) {
      diags_.emit(name.loc, diag::sources_too_large);
      return fail();
    }
    for (Token& token : tokens) {
      token.loc = loc;
      ++loc.offset;
    }
    constexpr uint32_t kPlace = kTokenLineStart | kTokenSpaceBefore;
    tokens[0].flags = ((tokens[0].flags & ~kPlace) | (name.flags & kPlace)) & 0xfu;
  }
  push_context(std::move(tokens), &macro, false);
}

}  // namespace carry
