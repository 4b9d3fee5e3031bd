#include "lang/hlsl/keywords.h"

#include <array>

#include "base/hash.h"
#include "syntax/tree.h"

namespace carry::hlsl {

namespace {

using syntax::kWordHard;
using syntax::Word;
using syntax::WordInfo;

struct WordRow {
  std::string_view text;
  Word word;
  uint8_t op;
};

constexpr WordRow kWords[] = {
#define HLSL_WORD(text, word, op) {text, Word::word, static_cast<uint8_t>(op)},
#include "lang/hlsl/keywords.def"
#undef HLSL_WORD
};

constexpr size_t kSlots = 1024;
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

// Longer ones before their prefixes.
constexpr std::string_view kScalars[] = {
    "bool",      "dword",   "uint16_t",   "uint32_t",   "uint64_t",  "uint",      "int16_t",
    "int32_t",   "int64_t", "int",        "half",       "double",    "float16_t", "float32_t",
    "float64_t", "float",   "min16float", "min10float", "min16uint", "min16int",  "min12int",
};

bool is_size(char c) { return c >= '1' && c <= '4'; }

}  // namespace

bool is_numeric_type(std::string_view text) {
  for (std::string_view scalar : kScalars) {
    if (text.substr(0, scalar.size()) != scalar) continue;
    const std::string_view size = text.substr(scalar.size());
    if (size.empty()) return true;
    if (size.size() == 1) return is_size(size[0]);
    return size.size() == 3 && is_size(size[0]) && size[1] == 'x' && is_size(size[2]);
  }
  return false;
}

WordInfo classify_word(std::string_view text, const LanguageMode&, const Names&) {
  for (size_t s = hash_bytes(text) % kSlots; kWordSlots[s] != 0; s = (s + 1) % kSlots) {
    const WordRow& row = kWords[kWordSlots[s] - 1];
    if (row.text == text) return {row.word, row.op};
  }
  if (is_numeric_type(text)) return {Word::type, 0};
  return {Word::identifier, 0};
}

}  // namespace carry::hlsl
