#include "disassemble.h"

#include <spirv-tools/libspirv.h>

#include <cstring>
#include <vector>

namespace carry::cli {

bool disassemble(const std::string& bytes, std::string& text, std::string& error) {
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
