// Grammar: what the shared parser asks of a language. One constant per language (lang/*/grammar.h); no state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/names.h"
#include "syntax/language_mode.h"
#include "syntax/needs.h"

namespace carry::syntax {

class Parser;

/// What an identifier token is in this language and version.
enum class Word : uint8_t {
  unknown,  // not looked up yet
  identifier,
  type,            // op: kWordHard: can not be declared again; kWordGeneric
  qualifier,       // op: QualifierKind
  soft_qualifier,  // op: QualifierKind; an identifier unless another identifier follows
  reserved,
  true_,
  false_,
  this_,
  sizeof_,
  if_,
  else_,
  for_,
  while_,
  do_,
  switch_,
  case_,
  default_,
  break_,
  continue_,
  return_,
  discard,
  jump,     // op: JumpKind
  struct_,  // op: StructKind
  enum_,
  layout,
  subroutine,
  precision,
  spirv,
  typedef_,
  using_,
  namespace_,
  template_,
  typename_,
  operator_,
  buffer_block,
  static_assert_,
  unsigned_,
  technique,
};

inline constexpr uint8_t kWordHard = 1;     // flags of a type word
inline constexpr uint8_t kWordGeneric = 2;  // takes <arguments> although the language has no templates; not supported yet

struct WordInfo {
  Word word = Word::unknown;
  uint8_t op = 0;
};

enum class DeclContext : uint8_t {
  file,     // file or namespace
  members,  // struct, block or cbuffer
  statement,
  for_init,   // ends before `;` that the caller reads
  condition,  // ends before `)` or `;`
};

struct Grammar {
  std::string_view language;  // for messages: "GLSL"
  bool has_casts;
  bool has_templates;
  bool has_logical_xor;
  bool has_arrow;
  /// Class of a word; never Word::unknown.
  WordInfo (*classify)(std::string_view text, const LanguageMode& mode, const Names& names);
  /// What would make a word known that other versions or extensions know, or nothing.
  Need (*word_need)(std::string_view text, const LanguageMode& mode);
  /// The extension that makes a word known here, empty if it needs none: for `#extension ... : warn`.
  NameId (*word_extension)(std::string_view text, const LanguageMode& mode, const Names& names);
  /// Whether a declaration begins at the current token of a statement.
  bool (*starts_declaration)(const Parser& p);
  /// Parses one declaration and always consumes a token, unless at `}` or the end. Attributes that the caller has read lie in the
  /// tree from `attributes_mark` on (all ones: none).
  void (*parse_declaration)(Parser& p, DeclContext context, uint32_t attributes_mark);
  /// Emits the `qualifiers` node of the words at the current token; attributes may lie before it, from `from` on.
  void (*parse_qualifiers)(Parser& p, uint32_t from);
  /// Emits the `annotations` node, empty where nothing is written.
  void (*parse_annotations)(Parser& p);
  /// At an initialiser that is no expression (`= sampler_state { ... }`): emits it and returns true.
  bool (*parse_special_initializer)(Parser& p);
};

}  // namespace carry::syntax
