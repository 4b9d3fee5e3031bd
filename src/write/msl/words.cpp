// Words that MSL output must not use as names: C++14 keywords, Metal's qualifiers and types, and what <metal_stdlib> declares in
// the namespace that the output uses.
#include "write/msl/state.h"

namespace carry::write::msl {

namespace {

constexpr std::string_view kWords[] = {
#include "write/msl/words.inc"
};

}  // namespace

const text::NameRules kNameRules{kWords, false};

}  // namespace carry::write::msl
