// What `carry explain` says about a diagnostic: one entry a row of diags.def, in the files explain_*.def.
#pragma once

#include <string_view>

#include "diag/diag.h"

namespace carry {

struct Explanation {
  std::string_view rule;     // what is wrong, and why the rule is there
  std::string_view clause;   // where the rule stands; empty: Carry's own
  std::string_view options;  // language, stage and options of the example: "glsl comp", "hlsl comp -WX"
  std::string_view example;  // the shortest source that gets the message; empty where no source alone does
  std::string_view mend;     // what to write in its place
};

/// Empty fields for a diagnostic without an entry; a test holds that there is none.
[[nodiscard]] const Explanation& explanation(DiagId id);

}  // namespace carry
