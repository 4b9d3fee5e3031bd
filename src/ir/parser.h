// Inner workings of `parse`. Used by parse_*.cpp only. Every function says false after `fail`, and nothing goes on then.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"
#include "ir/text.h"

namespace carry::ir {

enum class TextToken : uint8_t { end, word, value, number, string, punct, arrow, bad };

struct TextTok {
  TextToken kind = TextToken::end;
  std::string_view text;    // word; value and string without sigil and quotes; number whole; punct: one character
  bool quoted = false;      // value or word was written in quotes
  std::string_view suffix;  // quoted value: its ".2"
  uint32_t offset = 0;
};

class TextLexer {
 public:
  explicit TextLexer(std::string_view text) : text_(text) {}
  TextTok next();
  /// Whether `=` comes next: tells an option from the next instruction.
  [[nodiscard]] bool at_equals();
  [[nodiscard]] std::string_view source() const { return text_; }

 private:
  void skip_space();
  TextTok quoted(TextTok token);
  TextTok number(TextTok token);
  std::string_view text_;
  size_t at_ = 0;
};

class Parser {
 public:
  Parser(std::string_view text, Module& module, ParseError& error) : lexer_(text), m_(module), error_(error) { advance(); }
  bool run();

 private:
  struct Target {  // an open if, switch or loop: what its terminators say about types
    Op op{};
    std::vector<TypeId> results;
    std::vector<TypeId> continuing;
    bool results_known = false;
    bool continuing_known = false;
  };

  // parse_lexer.cpp
  void advance() { token_ = lexer_.next(); }
  bool fail(std::string message);
  bool fail_at(const TextTok& token, std::string message);
  [[nodiscard]] bool is_punct(char c) const { return token_.kind == TextToken::punct && token_.text[0] == c; }
  [[nodiscard]] bool is_word(std::string_view w) const {
    return token_.kind == TextToken::word && !token_.quoted && token_.text == w;
  }
  bool accept(char c);
  bool expect(char c);
  bool expect_word(std::string_view& out, const char* what);
  bool integer(uint32_t& out, uint32_t limit);
  /// Removes ".2" of a printed name; gives the interned source name (empty for numbers).
  NameId source_name(const TextTok& token);
  /// The name as written, which identifies a thing in the text.
  static std::string key(const TextTok& token);

  // parse_types.cpp
  bool type(TypeId& out);
  bool type_word(const TextTok& word, TypeId& out);
  bool array_type(TypeId& out);
  bool pointer_type(TypeId& out);
  bool image_type(const TextTok& word, TypeId& out);
  bool image_arguments(std::string_view head, Type& t);
  bool space(Space& out);
  bool layout(TypeId type, LayoutId& out);
  bool layout_tree(TypeId type, LayoutId& out);
  bool layout_struct(TypeId type, uint32_t size, uint32_t align, LayoutId& out);
  bool struct_decl();
  bool scalar_of_word(std::string_view word, ScalarKind& out);
  bool constant(ValueId& out);
  bool number(ConstId& out);
  bool typed_constant(ConstId& out);
  bool composite(TypeId type, ConstId& out);
  uint32_t weight(TypeId type);

  // parse_module.cpp
  bool top_level();
  bool global(bool is_override);
  bool attributes(Global& g);
  bool attribute(Global& g, const TextTok& name);
  bool module_inst();
  bool function(bool is_entry);
  bool function_rest(FunctionId id);
  bool parameters(FunctionId id);
  bool io_list(std::vector<IoAttr>& out);
  bool io_attribute(IoAttr& io);
  bool stage(FunctionId id);
  bool stage_arguments(EntryInfo& info);
  bool block_names(NameId& first, NameId& second);

  // parse_inst.cpp
  bool value(ValueId& out);
  [[nodiscard]] bool starts_value() const;
  bool values(std::vector<ValueId>& out);
  bool region(std::span<const TypeId> params, std::span<const TextTok> names, RegionId& out);
  bool inst();
  bool result_list(std::vector<TextTok>& names, std::vector<TypeId>& types);
  bool define(const TextTok& token, ValueId v);
  bool op_inst(const TextTok& op_token, const std::vector<TextTok>& names);
  bool op_operands(Op op, std::vector<TypeId>& named, std::vector<ValueId>& operands, uint32_t& payload);
  bool named_types(std::vector<TypeId>& out);
  bool default_named(Op op, const std::vector<ValueId>& operands, uint32_t payload, std::vector<TypeId>& named);
  bool emit(const TextTok& op_token, Op op, const std::vector<TypeId>& types, const std::vector<ValueId>& operands,
            std::span<const RegionId> regions, uint32_t payload, const std::vector<TextTok>& names);
  bool options(Op op, std::vector<ValueId>& operands, uint32_t& payload);
  bool option(Op op, const TextTok& word, std::vector<std::vector<ValueId>>& sample, uint32_t& payload);
  bool sample_option(const TextTok& word, std::vector<std::vector<ValueId>>& sample, uint32_t& payload);
  bool space_set(uint32_t& payload);
  bool flags(uint8_t& out);
  bool hint(uint32_t& out);
  void note_terminator(Op op, const std::vector<ValueId>& operands, uint32_t payload);
  TypeId type_of(ValueId v);

  // parse_control.cpp
  bool if_inst(const TextTok& op_token, const std::vector<TextTok>& names, const std::vector<TypeId>& types);
  bool switch_inst(const TextTok& op_token, const std::vector<TextTok>& names, const std::vector<TypeId>& types);
  bool switch_label(SwitchCase& c);
  bool loop_inst(const TextTok& op_token, const std::vector<TextTok>& names, const std::vector<TypeId>& types);
  bool loop_parameters(std::vector<TextTok>& names, std::vector<ValueId>& init, std::vector<TypeId>& types);
  bool continuing_parameters(std::vector<TextTok>& names, std::vector<TypeId>& types);
  bool empty_else(RegionId& out);
  const std::vector<TypeId>& control_types(const std::vector<TypeId>& written);

  TextLexer lexer_;
  TextTok token_;
  Module& m_;
  ParseError& error_;
  bool failed_ = false;
  uint32_t depth_ = 0;  // nesting of types, layouts, constants
  std::unordered_map<std::string, ValueId> globals_;
  std::unordered_map<std::string, ValueId> locals_;
  std::unordered_map<std::string, FunctionId> functions_;
  std::unordered_map<std::string, TypeId> structs_;
  std::unordered_map<uint32_t, uint32_t> struct_weights_;  // members of nested structs in all
  Builder* builder_ = nullptr;                             // none at module level
  std::vector<Target> targets_;
};

}  // namespace carry::ir
