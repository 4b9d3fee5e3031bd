// The text form of the IR (ir.md 14): `print` and `parse` are inverse up to the numbering of ids. README.md of this
// folder states what every `special` op prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace carry::ir {

/// Turns a location into "12:5"; an empty text prints none.
using LocText = std::string (*)(const void* user, LocRange range);

struct PrintOptions {
  LocText loc_text = nullptr;  // given: instructions end in ` @12:5`
  const void* loc_user = nullptr;
};

/// Prints any module, also one that the verifier refuses: what is out of range is printed as `%?`.
[[nodiscard]] std::string print(const Module& module, const PrintOptions& options = {});
/// One type, constant or layout, for messages and tests. Structs by their source names.
[[nodiscard]] std::string type_text(const Module& module, TypeId type);
[[nodiscard]] std::string constant_text(const Module& module, ConstId constant);

struct ParseError {
  uint32_t line = 0;
  uint32_t column = 0;
  std::string message;
};

/// Reads a whole module into `module`, which must be empty. Stops at the first error and says false; `module` is then
/// not to be used. What it accepts is well formed as text; the verifier decides whether it is legal.
[[nodiscard]] bool parse(std::string_view text, Module& module, ParseError& error);

}  // namespace carry::ir
