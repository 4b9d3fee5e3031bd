// carry-ir: reads IR text, verifies and prints it. For tests and for people who work on passes.
//   carry-ir [FILE | -]
#include <cstdio>
#include <string>

#include "ir/text.h"

namespace {

bool read_all(const char* path, std::string& out) {
  FILE* file = std::string(path) == "-" ? stdin : std::fopen(path, "rb");
  if (file == nullptr) return false;
  char buffer[65536];
  size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof buffer, file)) > 0) out.append(buffer, n);
  if (file != stdin) std::fclose(file);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "-";
  std::string text;
  if (!read_all(path, text)) {
    std::fprintf(stderr, "carry-ir: cannot read %s\n", path);
    return 2;
  }
  carry::ir::Context context;
  carry::ir::Module module(context);
  carry::ir::ParseError error;
  if (!carry::ir::parse(text, module, error)) {
    std::fprintf(stderr, "%s:%u:%u: %s\n", path, error.line, error.column, error.message.c_str());
    return 1;
  }
  std::fputs(carry::ir::print(module).c_str(), stdout);
  return 0;
}
