// Words of the text form for the enums of module.h, used by printer and parser.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/module.h"

namespace carry::ir {

struct FlagWord {
  std::string_view word;
  uint32_t bit;
};
[[nodiscard]] std::span<const FlagWord> inst_flag_words();
[[nodiscard]] std::span<const FlagWord> global_flag_words();
[[nodiscard]] std::span<const FlagWord> entry_flag_words();
[[nodiscard]] std::span<const FlagWord> space_bit_words();

/// Sample operands that print as `key=value`, in order of their bits; `project` is a bare word and not listed.
struct SampleWord {
  std::string_view word;
  uint16_t bit;
  uint8_t operands;
};
[[nodiscard]] std::span<const SampleWord> sample_words();

[[nodiscard]] std::span<const std::string_view> scope_words();
[[nodiscard]] std::span<const std::string_view> order_words();
[[nodiscard]] std::span<const std::string_view> access_words();
[[nodiscard]] std::span<const std::string_view> dim_words();
[[nodiscard]] std::span<const std::string_view> subgroup_op_words();
[[nodiscard]] std::span<const std::string_view> subgroup_form_words();
[[nodiscard]] std::span<const std::string_view> hint_words();
[[nodiscard]] std::span<const std::string_view> slot_words();
[[nodiscard]] std::span<const std::string_view> variant_words();

/// Index of `word`, or -1.
[[nodiscard]] int find_word(std::span<const std::string_view> words, std::string_view word);
[[nodiscard]] const FlagWord* find_flag(std::span<const FlagWord> words, std::string_view word);

/// Type words that a struct may not print as ("f32", "vec3", "ptr" ...).
[[nodiscard]] bool is_type_word(std::string_view word);

/// How an op's result type gets into the text.
enum class TypeInText : uint8_t {
  derived,  // from the operands
  named,    // `op<type>`; several results: `op<a, b>`
};
[[nodiscard]] TypeInText type_in_text(Op op);

/// Deepest nesting of regions that parser, verifier and passes accept (architecture 7: every loop has a bound).
inline constexpr uint32_t kMaxRegionDepth = 1024;

}  // namespace carry::ir
