// Text IR: whatever is accepted prints, reads back and prints the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "ir/text.h"
#include "ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  carry::ir::Context context;
  carry::ir::Module module(context);
  carry::ir::ParseError error;
  if (!carry::ir::parse(text, module, error)) return 0;
  const bool legal = carry::ir::verify(module).empty();
  const std::string once = carry::ir::print(module);
  carry::ir::Context second_context;
  carry::ir::Module second(second_context);
  if (!carry::ir::parse(once, second, error)) abort();
  if (legal != carry::ir::verify(second).empty()) abort();
  const std::string twice = carry::ir::print(second);
  carry::ir::Context third_context;
  carry::ir::Module third(third_context);
  if (!carry::ir::parse(twice, third, error)) abort();
  return 0;
}
