#include "lang/glsl/keywords.h"

#include <array>

#include "base/hash.h"
#include "lang/glsl/extensions.h"
#include "syntax/tree.h"

namespace carry::glsl {

namespace {

using syntax::kWordGeneric;
using syntax::kWordHard;
using syntax::Word;
using syntax::WordInfo;

struct WordRow {
  std::string_view text;
  Word word;
  uint8_t op;
  uint16_t core, es;
  std::string_view extensions;
  uint16_t reserved_core, reserved_es;
};

constexpr WordRow kWords[] = {
#define GLSL_WORD(text, word, op, core, es, extensions, reserved_core, reserved_es) \
  {text, Word::word, static_cast<uint8_t>(op), core, es, extensions, reserved_core, reserved_es},
#include "lang/glsl/keywords.def"
#undef GLSL_WORD
};

constexpr size_t kSlots = 2048;
static_assert(std::size(kWords) * 2 < kSlots);

// Open addressing, made by the compiler; 0 is free, else 1 + row.
constexpr std::array<uint16_t, kSlots> make_slots() {
  std::array<uint16_t, kSlots> slots{};
  for (size_t i = 0; i < std::size(kWords); ++i) {
    size_t s = hash_bytes(kWords[i].text) % kSlots;
    while (slots[s] != 0) s = (s + 1) % kSlots;
    slots[s] = static_cast<uint16_t>(i + 1);
  }
  return slots;
}

constexpr std::array<uint16_t, kSlots> kWordSlots = make_slots();

const WordRow* find_word(std::string_view text) {
  for (size_t s = hash_bytes(text) % kSlots; kWordSlots[s] != 0; s = (s + 1) % kSlots) {
    const WordRow& row = kWords[kWordSlots[s] - 1];
    if (row.text == text) return &row;
  }
  return nullptr;
}

bool any_extension(std::string_view list, const LanguageMode& mode, const Names& names) {
  while (!list.empty()) {
    const size_t space = list.find(' ');
    const std::string_view one = list.substr(0, space);
    list = space == std::string_view::npos ? std::string_view() : list.substr(space + 1);
    if (one == "vulkan") {
      if (mode.vulkan) return true;
      continue;
    }
    const NameId id = names.find(one);
    if (id && mode.has_extension(id)) return true;
  }
  return false;
}

bool since(uint16_t version, const LanguageMode& mode) { return version != 0 && mode.glsl_version >= version; }

}  // namespace

WordInfo classify_word(std::string_view text, const LanguageMode& mode, const Names& names) {
  const WordRow* row = find_word(text);
  if (row == nullptr) return {Word::identifier, 0};
  const bool keyword = since(mode.is_es() ? row->es : row->core, mode) || any_extension(row->extensions, mode, names);
  if (keyword) return {row->word, row->op};
  if (since(mode.is_es() ? row->reserved_es : row->reserved_core, mode)) return {Word::reserved, 0};
  return {Word::identifier, 0};
}

Need word_need(std::string_view text, const LanguageMode& mode) {
  const WordRow* row = find_word(text);
  Need need;
  if (row == nullptr || row->word == Word::reserved) return need;
  const uint16_t version = mode.is_es() ? row->es : row->core;
  if (version > mode.glsl_version) need.version = version;
  if (row->extensions.substr(0, 6) == "vulkan") {
    if (!mode.vulkan) need.other = "a target environment of Vulkan";
    return need;
  }
  need.extension = extension_for(row->extensions, mode.is_es());
  return need;
}

NameId word_extension(std::string_view text, const LanguageMode& mode, const Names& names) {
  const WordRow* row = find_word(text);
  if (row == nullptr || since(mode.is_es() ? row->es : row->core, mode)) return NameId();
  for (std::string_view list = row->extensions; !list.empty();) {
    const size_t space = list.find(' ');
    const NameId id = names.find(list.substr(0, space));
    if (id && mode.has_extension(id)) return id;
    list = space == std::string_view::npos ? std::string_view() : list.substr(space + 1);
  }
  return NameId();
}

}  // namespace carry::glsl
