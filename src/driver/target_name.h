// Targets by their names on the command line: "spirv", "vulkan1.2+int64", "msl2.4-ios", "wgsl+subgroups+f16".
#pragma once

#include <string>
#include <string_view>

#include "driver/request.h"

namespace carry::driver {

/// False with a message that lists what there is.
[[nodiscard]] bool parse_target(std::string_view text, TargetRequest& target, std::string& error);
/// What a file's ending asks for (".spv", ".spvasm", ".metal", ".wgsl"); false for others.
[[nodiscard]] bool target_of_ending(std::string_view path, TargetRequest& target);
/// ".spv", ".metal", ".wgsl".
[[nodiscard]] std::string_view ending_of(TargetKind kind);
/// The text of `carry --list-targets`.
[[nodiscard]] std::string list_targets();

}  // namespace carry::driver
