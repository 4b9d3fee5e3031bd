// Resource values as text, for `carry run` (cli.md "Run"): bytes from VALUE, and bytes printed in the declared type. Pure functions;
// files and images are the caller's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exec/executor.h"

namespace carry::exec {

/// What the values are laid out by. `type` and `layout` are those of the global (binding arrays stripped).
struct ValueShape {
  const Names& names;
  TypeTable& types;
  LayoutTable& layouts;
  TypeId type;
  LayoutId layout;
};

/// Reads `zeros:N`, `u32:1,2`, `i32:` `f32:` `u64:` `i64:` `f64:` `f16:` `u16:` `i16:` `u8:` `i8:`, `iota:N`, `random:N[:SEED]`,
/// `{a: 1, b: [2, 3]}` and `[...]`. N counts 32-bit words; iota and random give the declared type's first scalar: floats 0.0,
/// 1.0 ... and [0, 1), integers 0, 1 ... and any bits. Lists by name fill the rest with zeros.
[[nodiscard]] bool parse_value(const ValueShape& shape, std::string_view text, std::vector<uint8_t>& bytes, std::string& error);

struct FormatOptions {
  ScalarKind as = ScalarKind::none;  // flatten to scalars of this type
  bool hex = false;                  // with `as`: hexadecimal
  uint64_t count = 0;                // elements; 0: all, shortened after 64 in text
  bool json = false;
};
/// Elements of a buffer, separated by spaces: "1 2 3", "(1, 2) (3, 4)", "{a: 1, b: (2, 3)}"; as JSON an array.
[[nodiscard]] std::string format_value(const ValueShape& shape, std::span<const uint8_t> bytes, const FormatOptions& options);
/// Texels of the first mip, "(r, g, b, a)" each; `as` prints the words.
[[nodiscard]] std::string format_image(const Image& image, const FormatOptions& options);
/// One scalar: floats in the shortest text that reads back.
[[nodiscard]] std::string format_scalar(ScalarKind kind, uint64_t bits, bool hex = false, bool json = false);
/// "u32" and the like; `x32` sets hex. `none` for other words.
[[nodiscard]] ScalarKind scalar_of_word(std::string_view word, bool& hex);

}  // namespace carry::exec
