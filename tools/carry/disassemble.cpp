#include "disassemble.h"

#include <spirv-tools/libspirv.h>

#include <cstring>
#include <vector>

#ifdef CARRY_LATE_INIT
// Constructors of the library's globals, kept from running at the start of each run (cmake/CarryPrograms.cmake).
extern "C" {
using LateInit = void (*)();
extern LateInit __start_carry_late_init[];
extern LateInit __stop_carry_late_init[];
}
#endif

namespace carry::cli {

namespace {

bool construct_globals() {
#ifdef CARRY_LATE_INIT
  for (LateInit* f = __start_carry_late_init; f != __stop_carry_late_init; ++f) (*f)();
#endif
  return true;
}

}  // namespace

bool disassemble(const std::string& bytes, std::string& text, std::string& error) {
  static const bool kReady = construct_globals();
  static_cast<void>(kReady);
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_text result = nullptr;
  spv_diagnostic diagnostic = nullptr;
  const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  const spv_result_t status = spvBinaryToText(context, words.data(), words.size(), options, &result, &diagnostic);
  if (status == SPV_SUCCESS) {
    text.assign(result->str, result->length);
  } else {
    error = std::string("cannot disassemble: ") +
            (diagnostic != nullptr && diagnostic->error != nullptr ? diagnostic->error : "unknown reason");
  }
  spvTextDestroy(result);
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return status == SPV_SUCCESS;
}

}  // namespace carry::cli
