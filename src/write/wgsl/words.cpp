// Words that WGSL output must not use as names: keywords and reserved words of the WGSL specification (2.5.4, 16.1 and 16.2),
// predeclared types and the built-in functions that the writer calls.
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

namespace {

constexpr std::string_view kWords[] = {
#include "write/wgsl/words.inc"
};

}  // namespace

const text::NameRules kNameRules{kWords, false};

}  // namespace carry::write::wgsl
