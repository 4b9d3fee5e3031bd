// Lowering: Tree + Facts in, a canonical ir::Module out (ir.md). It decides nothing that the checker decided: it spells
// out evaluation order, memory access, control flow, resources and the stage interface.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/facts.h"
#include "diag/diag.h"
#include "ir/module.h"
#include "source/source_map.h"
#include "syntax/language_mode.h"
#include "syntax/tree.h"

namespace carry::lower {

/// How HLSL registers become binding numbers (cli.md, Bindings).
enum class BindingStyle : uint8_t { auto_, dxc, separated };

/// -fvk-{b,t,s,u}-shift N S; `space` none: all spaces.
struct BindingShift {
  RegisterClass register_class = RegisterClass::none;
  uint32_t shift = 0;
  uint32_t space = Id<TypeId>::kNone;
};

/// --binding-map and -fvk-bind-register: wins over all. By resource name, or by register when the name is empty.
struct NamedBinding {
  std::string name;
  RegisterClass register_class = RegisterClass::none;
  uint32_t register_index = 0;
  uint32_t register_space = 0;
  uint32_t set = 0;
  uint32_t binding = 0;
};

struct BindingOptions {
  BindingStyle style = BindingStyle::auto_;
  std::vector<BindingShift> shifts;
  std::vector<NamedBinding> named;
  bool assign_missing = true;  // --auto-map=off: missing numbers are errors
};

struct Options {
  bool native_arithmetic = false;      // start with .raw
  bool floored_mod = false;            // --glsl-mod=floored
  bool row_major_default = false;      // HLSL -Zpr
  bool position_w_reciprocal = false;  // -fvk-use-dx-position-w
  bool invert_y = false;               // -fvk-invert-y
  BindingOptions bindings;
};

struct Input {
  ir::Context& context;
  const Tree& tree;
  const Facts& facts;
  const LanguageMode& mode;
  const Options& options;
  Emitter& diags;
};

/// Needs facts without errors. What is not lowered yet is reported as not_supported_yet at its place; the module must not
/// be used when an error was emitted.
[[nodiscard]] ir::Module lower(const Input& input);

}  // namespace carry::lower
