// Files: whole or not at all.
#pragma once

#include <string>

namespace carry::cli {

/// "-" is standard input. Errors name the file and the reason.
[[nodiscard]] bool read_file(const std::string& path, std::string& content, std::string& error);
/// Written beside the target and renamed, missing folders made; "-" is standard output. On failure `why` is the reason alone.
[[nodiscard]] bool write_whole(const std::string& path, const std::string& content, std::string& why);
/// The same; the error names the file.
[[nodiscard]] bool write_file(const std::string& path, const std::string& content, std::string& error);
[[nodiscard]] bool is_folder(const std::string& path);
/// Two names of one existing file.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);
/// "a/b/c.comp" -> "c.comp".
[[nodiscard]] std::string base_name(const std::string& path);
/// Ends the program when it is built to start fast: what it holds goes with the process. Else does nothing.
void leave_fast(int status);
/// What cannot be written whole (a full disk, a closed pipe) is left to `print_trouble`.
void print_out(const std::string& text);
/// Why something that was printed is not there; empty when all is well. `main` turns it into the exit status.
[[nodiscard]] const std::string& print_trouble();
void print_error(const std::string& text);
[[nodiscard]] bool error_stream_is_terminal();

}  // namespace carry::cli
