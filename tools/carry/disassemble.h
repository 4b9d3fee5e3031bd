// SPIR-V as text, by SPIRV-Tools.
#pragma once

#include <string>

namespace carry::cli {

[[nodiscard]] bool disassemble(const std::string& bytes, std::string& text, std::string& error);

}  // namespace carry::cli
