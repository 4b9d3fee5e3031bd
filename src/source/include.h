// Where #include finds its files: on disk, or in memory for tests and for users of the library.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace carry {

struct IncludeRequest {
  std::string_view name;      // as written between the quotes or brackets
  bool angled = false;        // <name>: the including file's folder is not looked at
  std::string_view includer;  // path of the including file
};

struct IncludeResult {
  enum class Status : uint8_t { found, not_found, failed };
  Status status = Status::not_found;
  std::string path;      // for messages, and `includer` of includes in it
  std::string identity;  // equal for the same file: #pragma once, dependencies
  std::shared_ptr<const std::string> text;
  std::string reason;  // of a failure
};

class IncludeResolver {
 public:
  virtual ~IncludeResolver() = default;
  [[nodiscard]] virtual IncludeResult resolve(const IncludeRequest& request) = 0;
};

/// The including file's folder first, then `folders` in order. Backslashes in names work as slashes.
class FileResolver : public IncludeResolver {
 public:
  explicit FileResolver(std::vector<std::string> folders = {}) : folders_(std::move(folders)) {}
  [[nodiscard]] IncludeResult resolve(const IncludeRequest& request) override;

 private:
  std::vector<std::string> folders_;
};

/// Files by path, "lights/point.h"; the same search order.
class MemoryResolver : public IncludeResolver {
 public:
  explicit MemoryResolver(std::vector<std::string> folders = {}) : folders_(std::move(folders)) {}
  void add(std::string path, std::string text);
  [[nodiscard]] IncludeResult resolve(const IncludeRequest& request) override;

 private:
  std::vector<std::string> folders_;
  std::unordered_map<std::string, std::shared_ptr<const std::string>> files_;
};

inline constexpr size_t kMaxSourceSize = size_t{1} << 28;

/// Reads a whole file, with lone carriage returns turned into newlines (SourceMap::add_file expects that).
/// `identity` and `path` are the normalised and the given path.
[[nodiscard]] IncludeResult read_source_file(const std::string& path);
/// The same from standard input.
[[nodiscard]] IncludeResult read_source_stream();
/// "a/./b/../c" as "a/c"; text only, links are not followed.
[[nodiscard]] std::string normal_path(std::string_view path);

}  // namespace carry
