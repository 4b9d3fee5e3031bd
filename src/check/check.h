// The checker: Tree in, Facts out. It decides everything that needs the rules of the language; diagnostics go to `diags`.
#pragma once

#include "base/names.h"
#include "check/facts.h"
#include "diag/diag.h"
#include "source/source_map.h"
#include "syntax/language_mode.h"
#include "syntax/tree.h"
#include "types/types.h"

namespace carry::check {

/// Names and stages of entry points that the command line asks for; empty: those the source marks, else "main".
struct EntryRequest {
  NameId name;
  Stage stage = Stage::none;
};

struct Options {
  std::vector<EntryRequest> entries;
  Stage stage = Stage::none;   // of the file: GLSL's main, HLSL entries that say nothing
  uint16_t shader_model = 66;  // HLSL: 60 + minor version, 70 is 6.10
  bool strict_literals = false;
  bool strict_types = false;
  bool row_major_default = false;       // -Zpr, the last #pragma pack_matrix
  bool native_16bit = false;            // -enable-16bit-types
  bool atomic_float = false;            // -fatomic-float
  std::vector<PackMatrix> pack_matrix;  // as Facts has it
  bool all_invariant = false;           // #pragma STDGL invariant(all)
  LayoutRule cbuffer_layout = LayoutRule::std140_relaxed;
  LayoutRule structured_layout = LayoutRule::std430_relaxed;
};

struct Input {
  const Tree& tree;
  const SourceMap& sources;  // text of literals
  Names& names;
  TypeTable& types;
  const LanguageMode& mode;
  const Options& options;
  Emitter& diags;
};

/// Any tree is safe, trees with error nodes included. Facts are complete (for lowering) when no error was emitted.
[[nodiscard]] Facts check(const Input& input);

}  // namespace carry::check
