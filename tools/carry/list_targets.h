// `carry --list-targets`: a name a line; then what names take and what each target refuses.
#pragma once

#include <string>

namespace carry::cli {

[[nodiscard]] std::string list_targets_text();

}  // namespace carry::cli
