#pragma once

#include <string_view>

namespace carry::cli {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace carry::cli
