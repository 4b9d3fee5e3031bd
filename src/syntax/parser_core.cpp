#include "syntax/parser_core.h"

#include <algorithm>

#include "base/text_sink.h"
#include "syntax/parser.h"

namespace carry::syntax {

Tree parse(const TokenBuffer& tokens, const Names& names, const SourceMap& sources, const LanguageMode& mode,
           const Grammar& grammar, Emitter& diags) {
  Tree tree(tokens, names, sources);
  Parser(tree, mode, grammar, diags).parse_file();
  return tree;
}

Parser::Parser(Tree& tree, const LanguageMode& mode, const Grammar& grammar, Emitter& diags)
    : tree_(tree),
      builder_(tree),
      mode_(mode),
      grammar_(grammar),
      names_(tree.names()),
      diags_(diags),
      tokens_(tree.tokens().tokens.data()),
      count_(static_cast<uint32_t>(tree.tokens().tokens.size())),
      words_(names_.size()),
      name_states_(names_.size(), NameState::unknown),
      ever_type_(names_.size(), uint8_t{0}) {
  builder_.reserve(count_ + count_ / 2);
  apply_extensions();
}

void Parser::parse_file() {
  const uint32_t from = mark();
  while (!at_end()) {
    const uint32_t before = pos_;
    declaration(DeclContext::file);
    if (pos_ != before) continue;
    const uint32_t stray = mark();
    report(pos_, diag::expected_token, "a declaration", found_text());
    advance();
    finish(NodeKind::error, before, stray);
  }
  finish(NodeKind::translation_unit, 0, from);
}

WordInfo Parser::word_at(uint32_t pos) const {
  const Token& token = token_at(pos);
  if (static_cast<TokenKind>(token.kind) != TokenKind::identifier) return {Word::identifier, 0};
  WordInfo& info = words_[token.name];
  if (info.word == Word::unknown) {
    const std::string_view text = names_.text(NameId(uint32_t{token.name}));
    info = grammar_.classify(text, mode_, names_);
    if (!mode_.warned.empty()) warn_word(text, token.loc);
  }
  return info;
}

void Parser::report_reserved() {
  if (quiet_ || error_pos_ == pos_ + 1) return;
  error_pos_ = pos_ + 1;
  DiagHandle handle = diags_.emit(tokens_[pos_].loc, diag::reserved_word, text_at(pos_), grammar_.language);
  const Need need = grammar_.word_need(text_at(pos_), mode_);
  if (need.empty()) return;
  handle.note(tokens_[pos_].loc, diag::word_needs, text_at(pos_), need_text(need, mode_));
  fix_need(handle, need, mode_);
}

void Parser::warn_word(std::string_view text, Loc at) const {
  const NameId extension = grammar_.word_extension(text, mode_, names_);
  if (std::find(mode_.warned.begin(), mode_.warned.end(), extension) == mode_.warned.end()) return;
  diags_.emit(at, diag::extension_used, text, names_.text(extension));
}

void Parser::apply_extensions() {
  if (mode_.advance_to(pos_)) std::fill(words_.begin(), words_.end(), WordInfo{});
  next_change_ = mode_.next_change();
}

void Parser::advance() {
  half_ = false;
  if (pos_ + 1 < count_) ++pos_;
  if (pos_ >= next_change_) apply_extensions();
}

bool Parser::accept(TokenKind k) {
  if (!at(k)) return false;
  advance();
  return true;
}

namespace {

std::string quoted(std::string_view text) {
  TextSink out;
  out << '`' << text << '`';
  return out.take();
}

}  // namespace

bool Parser::expect(TokenKind k, uint32_t open) {
  if (accept(k)) return true;
  if (quiet_ || error_pos_ == pos_ + 1) return false;
  error_pos_ = pos_ + 1;
  DiagHandle handle = diags_.emit(tokens_[pos_].loc, diag::expected_token, quoted(token_kind_text(k)), found_text());
  word_hint_note(handle, pos_);
  if (open != kNoToken) {
    handle.note(tokens_[open].loc, diag::to_match_this, token_kind_text(static_cast<TokenKind>(tokens_[open].kind)));
  }
  return false;
}

bool Parser::expect_greater() {
  const TokenKind k = static_cast<TokenKind>(tokens_[pos_].kind);
  if (k == TokenKind::greater_greater && !half_) {
    half_ = true;
    return true;
  }
  return expect(TokenKind::greater);
}

void Parser::expect_semicolon() {
  if (accept(TokenKind::semicolon)) return;
  if (!quiet_ && error_pos_ != pos_ + 1) {
    error_pos_ = pos_ + 1;
    const uint32_t previous = pos_ == 0 ? 0 : pos_ - 1;
    const Loc end = tree_.sources().end_of(tokens_[previous].loc);
    const bool at_line_end = starts_line() && !end.is_none();
    DiagHandle handle = diags_.emit(at_line_end ? end : tokens_[pos_].loc, diag::expected_token, "`;`", found_text());
    if (at_line_end) handle.fix({end, end}, ";");
    word_hint_note(handle, previous);
  }
  if (starts_line() || at(TokenKind::r_brace)) return;
  skip_to_statement_end();
}

void Parser::finish(NodeKind kind, uint32_t token, uint32_t from, uint8_t op, uint32_t flags) {
  const uint32_t end = half_ ? pos_ : (pos_ == 0 ? 0 : pos_ - 1);
  builder_.add(kind, token, from, end < token ? token : end, op, flags);
}

void Parser::word_hint_note(DiagHandle& handle, uint32_t pos) {
  if (static_cast<TokenKind>(token_at(pos).kind) != TokenKind::identifier) return;
  if (word_at(pos).word != Word::identifier || state(name_at(pos)) != NameState::unknown) return;
  const Need need = grammar_.word_need(text_at(pos), mode_);
  if (need.empty()) return;
  handle.note(tokens_[pos].loc, diag::word_needs, text_at(pos), need_text(need, mode_));
  fix_need(handle, need, mode_);
}

void Parser::error_expected(std::string_view what) {
  if (quiet_ || error_pos_ == pos_ + 1) return;
  error_pos_ = pos_ + 1;
  DiagHandle handle = diags_.emit(tokens_[pos_].loc, diag::expected_token, what, found_text());
  word_hint_note(handle, pos_);
}

void Parser::error_node(std::string_view what) {
  error_expected(what);
  leaf(NodeKind::error, pos_);
}

std::string Parser::found_text() const {
  switch (kind()) {
    case TokenKind::eof: return "the end of the file";
    case TokenKind::identifier: return quoted(text_at(pos_));
    case TokenKind::int_literal:
    case TokenKind::float_literal: return "a number";
    case TokenKind::string_literal: return "a string";
    case TokenKind::char_literal: return "a character literal";
    case TokenKind::invalid: return "a character that is no token";
    default: return quoted(token_kind_text(kind()));
  }
}

void Parser::not_supported(uint32_t token, std::string_view what) {
  if (!quiet_) diags_.emit(tokens_[token].loc, diag::not_supported_yet, what);
}

void Parser::skip_balanced() {
  uint32_t open = 0;
  do {
    switch (kind()) {
      case TokenKind::l_paren:
      case TokenKind::l_bracket:
      case TokenKind::l_brace: ++open; break;
      case TokenKind::r_paren:
      case TokenKind::r_bracket:
      case TokenKind::r_brace: --open; break;
      case TokenKind::eof: return;
      default: break;
    }
    advance();
  } while (open != 0);
}

void Parser::skip_to_statement_end() {
  const uint32_t start = pos_;
  for (;; advance()) {
    switch (kind()) {
      case TokenKind::eof:
      case TokenKind::r_brace: return;
      case TokenKind::semicolon: advance(); return;
      case TokenKind::l_brace: skip_balanced(); return;
      case TokenKind::identifier:
        if (pos_ != start && starts_line() && word().word != Word::identifier) return;
        break;
      default: break;
    }
  }
}

bool Parser::enter() {
  ++depth_;
  if (quiet_) return false;
  const bool deep = depth_ > kMaxNesting;
  if (!deep && !diags_.at_limit()) return true;
  if (deep) diags_.emit(tokens_[pos_].loc, diag::nesting_too_deep, kMaxNesting);
  give_up();
  return false;
}

void Parser::give_up() {
  quiet_ = true;
  half_ = false;
  pos_ = count_ - 1;
}

void Parser::pop_scope() {
  const uint32_t from = scopes_.back();
  scopes_.pop_back();
  while (undo_.size() > from) {
    name_states_[undo_.back().name.value] = undo_.back().state;
    undo_.pop_back();
  }
}

void Parser::declare(NameId name, NameState new_state) {
  if (name.is_none() || name.value == 0) return;
  NameState& current = name_states_[name.value];
  if (new_state == NameState::type || new_state == NameState::type_template) ever_type_[name.value] = 1;
  if (current == new_state) return;
  if (!scopes_.empty()) undo_.push_back({name, current});
  current = new_state;
}

bool Parser::is_type_name(uint32_t pos) const {
  if (kind_at(pos) != TokenKind::identifier) return false;
  const NameState s = state(name_at(pos));
  if (s != NameState::unknown) return s == NameState::type || s == NameState::type_template;
  return word_at(pos).word == Word::type || was_type(name_at(pos));
}

bool Parser::can_be_name(uint32_t pos) const {
  if (kind_at(pos) != TokenKind::identifier) return false;
  const WordInfo w = word_at(pos);
  return w.word == Word::identifier || w.word == Word::soft_qualifier || (w.word == Word::type && (w.op & kWordHard) == 0);
}

}  // namespace carry::syntax
