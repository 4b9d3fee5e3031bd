#include "source/include.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace carry {

namespace {

constexpr size_t kFirstRead = 8192;

void end_lines_with_newline(std::string& text) {
  for (size_t i = text.find('\r'); i != std::string::npos; i = text.find('\r', i + 1)) {
    if (i + 1 >= text.size() || text[i + 1] != '\n') text[i] = '\n';
  }
}

std::string folder_of(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash + 1));
}

bool is_absolute(std::string_view path) {
  return !path.empty() && (path[0] == '/' || path[0] == '\\' || (path.size() > 1 && path[1] == ':'));
}

/// Paths to try for a request, in order.
std::vector<std::string> candidates(const IncludeRequest& request, const std::vector<std::string>& folders) {
  std::string name(request.name);
  for (char& c : name) {
    if (c == '\\') c = '/';
  }
  if (is_absolute(name)) return {name};
  std::vector<std::string> paths;
  if (!request.angled) paths.push_back(folder_of(request.includer) + name);
  for (const std::string& folder : folders) {
    const bool ends = !folder.empty() && (folder.back() == '/' || folder.back() == '\\');
    paths.push_back(folder.empty() || ends ? folder + name : folder + "/" + name);
  }
  return paths;
}

/// Fills in `text` or the reason of a failure.
void read_stream(std::FILE* file, IncludeResult& result) {
  std::setvbuf(file, nullptr, _IONBF, 0);
  std::string text;
  size_t used = 0;
  do {
    text.resize(used == 0 ? kFirstRead : used * 2);
    const size_t got = std::fread(text.data() + used, 1, text.size() - used, file);
    if (got == 0) break;
    used += got;
  } while (used == text.size() && used <= kMaxSourceSize);
  text.resize(used);
  const int code = std::ferror(file) != 0 ? errno : 0;
  if (code != 0 || text.size() > kMaxSourceSize) {
    result.status = IncludeResult::Status::failed;
    result.reason = code != 0 ? std::strerror(code) : "the file is larger than 256 MiB";
    return;
  }
  end_lines_with_newline(text);
  result.status = IncludeResult::Status::found;
  result.text = std::make_shared<const std::string>(std::move(text));
}

}  // namespace

std::string normal_path(std::string_view path) {
  std::vector<std::string_view> parts;
  const bool absolute = !path.empty() && path[0] == '/';
  for (size_t i = 0; i <= path.size();) {
    size_t end = path.find_first_of("/\\", i);
    if (end == std::string_view::npos) end = path.size();
    const std::string_view part = path.substr(i, end - i);
    i = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !absolute) {
      parts.push_back(part);
    }
  }
  std::string out = absolute ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += '/';
    out += parts[i];
  }
  return out;
}

IncludeResult read_source_file(const std::string& path) {
  IncludeResult result;
  result.path = path;
  result.identity = normal_path(path);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    const int code = errno;
    const bool missing = code == ENOENT || code == ENOTDIR;
    result.status = missing ? IncludeResult::Status::not_found : IncludeResult::Status::failed;
    result.reason = std::strerror(code);
    return result;
  }
  read_stream(file, result);
  std::fclose(file);
  return result;
}

IncludeResult read_source_stream() {
  IncludeResult result;
  read_stream(stdin, result);
  return result;
}

IncludeResult FileResolver::resolve(const IncludeRequest& request) {
  for (const std::string& path : candidates(request, folders_)) {
    IncludeResult result = read_source_file(path);
    if (result.status != IncludeResult::Status::not_found) return result;
  }
  return {};
}

void MemoryResolver::add(std::string path, std::string text) {
  end_lines_with_newline(text);
  files_[normal_path(path)] = std::make_shared<const std::string>(std::move(text));
}

IncludeResult MemoryResolver::resolve(const IncludeRequest& request) {
  for (const std::string& path : candidates(request, folders_)) {
    const auto found = files_.find(normal_path(path));
    if (found == files_.end()) continue;
    return {IncludeResult::Status::found, path, found->first, found->second, {}};
  }
  return {};
}

}  // namespace carry
