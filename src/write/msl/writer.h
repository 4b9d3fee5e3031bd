// MSL writer: a module in text form (docs/text-form.md) to Metal Shading Language.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace carry::write::msl {

struct Options {
  uint32_t version = 204;  // major * 100 + minor * 1, so 2.4 is 204
};

/// The first instruction of a live function that has no spelling here: a gap in the target's row or in `expand_ops`, which the
/// driver reports in place of writing. None: the module can be written.
[[nodiscard]] ir::InstId first_unwritable(const ir::Module& module);

/// The first access to coherent or volatile memory that is a plain one in this version, or a coherent texture of an entry (Metal before
/// 3.2: structs, matrices, packed vectors, textures), or none.
[[nodiscard]] ir::LocId first_weakened(const ir::Module& module, const Options& options);

[[nodiscard]] std::string write(const ir::Module& module, const Options& options);
/// Names of the entries in what `write` makes, in the order of `function_order`.
[[nodiscard]] std::vector<std::string> entry_names(const ir::Module& module);

}  // namespace carry::write::msl
