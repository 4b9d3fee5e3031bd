// The parser's class, shared by syntax/*_parser.cpp and the grammars in lang/*/. Not for other stages: they use parser.h.
//
// Nodes are emitted in post-order: `mark()` before the first child, `finish(kind, token, mark)` after the last. Each parse
// function emits exactly one node, unless its comment says otherwise. Errors never consume what an enclosing construct can use.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "diag/diag.h"
#include "syntax/grammar.h"
#include "syntax/tree.h"

namespace carry::syntax {

/// What the parser knows about a name in the current scope.
enum class NameState : uint8_t { unknown, type, type_template, value, function, function_template };

constexpr uint32_t flag_if(bool on, NodeFlags flag) { return on ? static_cast<uint32_t>(flag) : 0u; }

/// Appends nodes to a Tree.
class TreeBuilder {
 public:
  explicit TreeBuilder(Tree& tree) : nodes_(tree.nodes_) {}
  [[nodiscard]] uint32_t mark() const { return static_cast<uint32_t>(nodes_.size()); }
  void add(NodeKind kind, uint32_t token, uint32_t mark, uint32_t end_token, uint8_t op, uint32_t flags) {
    if (kind == NodeKind::error) last_error_ = this->mark() + 1;
    if (last_error_ > mark) flags |= kNodeHasError;
    nodes_.push_back({kind, op, static_cast<uint16_t>(flags), token, this->mark() - mark + 1, end_token});
  }
  [[nodiscard]] const Node& last() const { return nodes_.back(); }
  void rotate(uint32_t first, uint32_t middle) { std::rotate(nodes_.begin() + first, nodes_.begin() + middle, nodes_.end()); }
  void reserve(size_t count) { nodes_.reserve(count); }

 private:
  std::vector<Node>& nodes_;
  uint32_t last_error_ = 0;  // 1 + index
};

class Parser {
 public:
  Parser(Tree& tree, const LanguageMode& mode, const Grammar& grammar, Emitter& diags);
  void parse_file();

  // Tokens. `kind(1)` looks one ahead; behind the end all is eof.
  [[nodiscard]] TokenKind kind() const { return half_ ? TokenKind::greater : static_cast<TokenKind>(tokens_[pos_].kind); }
  [[nodiscard]] TokenKind kind_at(uint32_t pos) const {
    return static_cast<TokenKind>(tokens_[pos < count_ ? pos : count_ - 1].kind);
  }
  [[nodiscard]] TokenKind ahead(uint32_t n) const { return kind_at(pos_ + n); }
  [[nodiscard]] bool at(TokenKind k) const { return kind() == k; }
  [[nodiscard]] bool at_end() const { return at(TokenKind::eof); }
  [[nodiscard]] bool at_name() const { return at(TokenKind::identifier); }
  [[nodiscard]] uint32_t pos() const { return pos_; }
  [[nodiscard]] const Token& token() const { return tokens_[pos_]; }
  [[nodiscard]] NameId name_at(uint32_t pos) const { return NameId(uint32_t{tokens_[pos < count_ ? pos : count_ - 1].name}); }
  [[nodiscard]] std::string_view text_at(uint32_t pos) const { return names_.text(name_at(pos)); }
  [[nodiscard]] WordInfo word_at(uint32_t pos) const;
  [[nodiscard]] WordInfo word() const { return word_at(pos_); }
  [[nodiscard]] bool at_word(Word w) const { return at_name() && word().word == w; }
  [[nodiscard]] bool at_text(std::string_view text) const { return at_name() && text_at(pos_) == text; }
  [[nodiscard]] bool starts_line() const { return (tokens_[pos_].flags & kTokenLineStart) != 0; }
  void advance();
  bool accept(TokenKind k);
  /// Consumes `k` or reports. `)`, `]`, `}` get a note at `open`.
  bool expect(TokenKind k, uint32_t open = kNoToken);
  /// `;` with a fix-it after the previous token; skips to a place where parsing can go on.
  void expect_semicolon();
  /// In template arguments: takes one `>` off `>>`, `>=`, `>>=`.
  bool expect_greater();

  // Nodes.
  static constexpr uint32_t kNoToken = 0xffffffffu;
  static constexpr uint32_t kNoMark = 0xffffffffu;
  [[nodiscard]] uint32_t mark() const { return builder_.mark(); }
  void leaf(NodeKind kind, uint32_t token, uint8_t op = 0, uint32_t flags = 0) {
    builder_.add(kind, token, mark(), token, op, flags);
  }
  /// The subtree ends with the token before the current one.
  void finish(NodeKind kind, uint32_t token, uint32_t from, uint8_t op = 0, uint32_t flags = 0);
  void empty() { leaf(NodeKind::empty, pos_); }
  [[nodiscard]] const Node& last_node() const { return builder_.last(); }

  // Errors. At one token only the first error is reported.
  [[gnu::cold]] void error_expected(std::string_view what);
  template <int N, class... Args>
  [[gnu::cold]] bool report(uint32_t token, DiagConstant<N> row, Args&&... args) {
    if (quiet_ || error_pos_ == pos_ + 1) return false;
    error_pos_ = pos_ + 1;
    diags_.emit(tokens_[token].loc, row, std::forward<Args>(args)...);
    return true;
  }
  /// error_expected and an `error` node that takes nothing.
  [[gnu::cold]] void error_node(std::string_view what);
  [[nodiscard]] std::string found_text() const;
  [[gnu::cold]] void not_supported(uint32_t token, std::string_view what);
  /// Skips balanced brackets up to, not past, a `;` at this level (taken), a closing bracket, or a statement on a new line.
  void skip_to_statement_end();
  /// At an opening bracket: past its partner, without a look inside.
  void skip_balanced();
  /// False when the nesting is too deep: reported, and the rest of the file is skipped.
  [[nodiscard]] bool enter();
  void leave() { --depth_; }
  /// Skips the rest of the file without further messages.
  void give_up();

  // Scopes of names.
  void push_scope() { scopes_.push_back(static_cast<uint32_t>(undo_.size())); }
  void pop_scope();
  void declare(NameId name, NameState state);
  [[nodiscard]] NameState state(NameId name) const { return name_states_[name.value]; }
  [[nodiscard]] bool was_type(NameId name) const { return ever_type_[name.value] != 0; }
  /// The identifier at `pos` is a word or declared name of a type here.
  [[nodiscard]] bool is_type_name(uint32_t pos) const;

  // Look-ahead over types without nodes. Returns the position behind, or kNoToken.
  [[nodiscard]] uint32_t scan_type(uint32_t pos) const;
  [[nodiscard]] uint32_t scan_template_args(uint32_t pos) const;
  [[nodiscard]] uint32_t scan_dims(uint32_t pos) const;
  /// The identifier at `pos` may be declared: no hard word of the language.
  [[nodiscard]] bool can_be_name(uint32_t pos) const;

  // Expressions (expr_parser.cpp).
  void expression();                    // with commas
  void assignment();                    // without
  void assignment_tail(uint32_t from);  // `= ...` if it is there
  void conditional_expression();        // constant expressions, template arguments: no assignment
  void initializer();                   // expression or { ... }
  void init_list();
  [[nodiscard]] bool open_paren(uint32_t& open);
  void close_paren(uint32_t open);  // reports and skips when it is not there

  // Types (type_parser.cpp).
  void type();                  // T without qualifiers before it
  void type_with_qualifiers();  // T or qualified_type: casts, template arguments, sizeof
  void template_args();
  void template_argument();
  void array_dims();        // zero or more [..]
  void type_name();         // name or scope
  void struct_specifier();  // struct_decl
  void enum_specifier();    // enum_decl

  // Statements (stmt_parser.cpp).
  void statement();
  void block(bool with_scope = true);
  void condition();  // expression or declaration

  // Declarations (decl_parser.cpp).
  void declaration(DeclContext context, uint32_t attributes_mark = kNoMark);
  void members(uint32_t open);  // up to the closing brace, which is taken; emits zero or more nodes
  void attribute_brackets();    // [a] or [[a, b]]: emits one attribute node each
  [[nodiscard]] bool at_attribute() const { return at(TokenKind::l_bracket); }
  /// After qualifiers and type: declarators or a function, to the end; `from` is the mark before the qualifiers.
  void declaration_rest(uint32_t from, uint32_t first, DeclContext context);
  void declarators(NameState new_state);  // one or more
  /// After the name: dimensions, annotations, initialiser.
  void declarator_rest(uint32_t from, uint32_t name, NameState new_state, uint32_t flags);
  /// At a new line after `struct S { ... }`: the semicolon was forgotten.
  [[nodiscard]] bool struct_without_semicolon() const;
  /// Name of the structure or enumeration declared last.
  [[nodiscard]] NameId last_type_name() const { return last_type_name_; }
  /// Moves the nodes from `from` on before those from `to` on: for words written after what they belong to.
  void move_before(uint32_t from, uint32_t to) { builder_.rotate(to, from); }
  /// A name to be declared; reports and returns the current position with `unnamed` set when there is none.
  uint32_t declared_name(bool& missing);

  [[nodiscard]] const LanguageMode& mode() const { return mode_; }
  [[nodiscard]] const Grammar& grammar() const { return grammar_; }
  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] Emitter& diags() { return diags_; }
  [[nodiscard]] const Token& token_at(uint32_t pos) const { return tokens_[pos < count_ ? pos : count_ - 1]; }

 private:
  void binary_expression(int min_precedence);
  void scope_tail(uint32_t from);
  void unary_expression();
  void postfix_expression();
  void postfix_tail(uint32_t from);
  void primary_expression();
  void name_expression();
  void call_arguments(uint32_t from);
  void member_tail(uint32_t from);
  [[nodiscard]] bool at_cast() const;
  [[nodiscard]] bool at_template_call(uint32_t less) const;
  [[nodiscard]] int binary_precedence(BinaryOp& op) const;
  void word_hint_note(DiagHandle& handle, uint32_t pos);
  void warn_word(std::string_view text, Loc at) const;
  void report_reserved();
  void apply_extensions();

  void statement_body();  // a statement in its own scope
  void label_statement(WordInfo w);
  void paren_condition();  // `(` condition `)`; emits the condition
  void word_statement(WordInfo w);
  void if_statement();
  void for_statement();
  void while_statement();
  void do_statement();
  void switch_statement();
  void return_statement();
  void expression_statement();
  void attributed_statement();

  void enumerator(bool visible);
  void function_rest(uint32_t from, uint32_t first);
  void member_definition(uint32_t scope, uint32_t name);
  void method_class();
  uint32_t operator_name();
  void params();
  void param();

  Tree& tree_;
  TreeBuilder builder_;
  LanguageMode mode_;
  const Grammar& grammar_;
  const Names& names_;
  Emitter& diags_;
  const Token* tokens_;
  uint32_t count_;
  uint32_t pos_ = 0;
  uint32_t next_change_ = 0xffffffffu;  // token where the next #extension takes effect
  uint32_t error_pos_ = 0;              // 1 + position of the last error
  uint32_t depth_ = 0;
  bool half_ = false;   // the first half of `>>` was taken
  bool quiet_ = false;  // gave up: no more messages
  NameId last_type_name_;
  mutable std::vector<WordInfo> words_;  // by NameId, looked up on first sight
  std::vector<NameState> name_states_;   // by NameId
  std::vector<uint8_t> ever_type_;       // by NameId: declared as a type anywhere before
  struct Undo {
    NameId name;
    NameState state;
  };
  std::vector<Undo> undo_;
  std::vector<uint32_t> scopes_;
};

/// Guards one level of recursion: `Nest nest(p); if (!nest.ok) ...`.
class Nest {
 public:
  explicit Nest(Parser& p) : ok(p.enter()), p_(p) {}
  ~Nest() { p_.leave(); }
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;
  const bool ok;

 private:
  Parser& p_;
};

/// Opens and closes a scope of names.
class NameScope {
 public:
  explicit NameScope(Parser& p) : p_(p) { p_.push_scope(); }
  ~NameScope() { p_.pop_scope(); }
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  Parser& p_;
};

}  // namespace carry::syntax
