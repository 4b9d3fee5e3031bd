// Files: whole or not at all.
#pragma once

#include <string>

namespace carry::cli {

/// "-" is standard input. Errors name the file and the reason.
[[nodiscard]] bool read_file(const std::string& path, std::string& content, std::string& error);
/// Written beside the target and renamed, missing folders made; "-" is standard output.
[[nodiscard]] bool write_file(const std::string& path, const std::string& content, std::string& error);
[[nodiscard]] bool is_folder(const std::string& path);
/// "a/b/c.comp" -> "c.comp".
[[nodiscard]] std::string base_name(const std::string& path);
/// Ends the program when it is built to start fast: what it holds goes with the process. Else does nothing.
void leave_fast(int status);
void print_out(const std::string& text);
void print_error(const std::string& text);
[[nodiscard]] bool error_stream_is_terminal();

}  // namespace carry::cli
