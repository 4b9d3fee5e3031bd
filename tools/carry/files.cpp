#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace carry::cli {

namespace {

std::string reason(const std::string& what, const std::string& path) {
  return "cannot " + what + " `" + path + "`: " + std::strerror(errno);
}

bool read_all(int fd, std::string& content) {
  char buffer[65536];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content.append(buffer, static_cast<size_t>(n));
  }
}

std::string out_trouble;  // why standard output did not take what was printed

bool write_all(int fd, const std::string& content) {
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t n = ::write(fd, content.data() + done, content.size() - done);
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    done += static_cast<size_t>(n);
  }
  return true;
}

/// Renames onto `path`. Where something is there already, the two change places and the old one goes: a plain rename onto a
/// file makes ext4 write the data to disk at once.
bool put_in_place(const std::string& beside, const std::string& path, bool exists) {
#if defined(__linux__) && defined(RENAME_EXCHANGE)
  if (exists && ::renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
    ::unlink(beside.c_str());
    return true;
  }
#endif
  static_cast<void>(exists);
  return std::rename(beside.c_str(), path.c_str()) == 0;
}

void make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    ::mkdir(path.substr(0, slash).c_str(), 0777);
  }
}

}  // namespace

bool read_file(const std::string& path, std::string& content, std::string& error) {
  content.clear();
  const int fd = path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error = reason("open", path);
    return false;
  }
  const bool ok = read_all(fd, content);
  if (!ok) error = reason("read", path);
  if (fd != 0) ::close(fd);
  return ok;
}

bool write_whole(const std::string& path, const std::string& content, std::string& why) {
  const auto failed = [&why] {
    why = std::strerror(errno);
    return false;
  };
  if (path == "-") return write_all(1, content) || failed();
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return failed();
  }
  // A device or pipe cannot be renamed onto.
  if (exists && !S_ISREG(info.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool ok = (fd >= 0 && write_all(fd, content)) || failed();
    if (fd >= 0) ::close(fd);
    return ok;
  }
  // A link stays, and what it names is replaced.
  std::string real = path;
  if (char* resolved = exists ? ::realpath(path.c_str(), nullptr) : nullptr) {
    real = resolved;
    std::free(resolved);
  }
  static std::atomic<unsigned> count{0};
  const std::string beside = real + ".tmp" + std::to_string(::getpid()) + "." + std::to_string(count++);
  constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  int fd = ::open(beside.c_str(), kHow, 0666);
  if (fd < 0 && errno == ENOENT) {
    make_folders(path);
    fd = ::open(beside.c_str(), kHow, 0666);
  }
  if (fd < 0) return failed();
  const bool written = write_all(fd, content) || failed();
  const bool closed = ::close(fd) == 0;
  if (written && closed && put_in_place(beside, real, exists)) return true;
  if (written) static_cast<void>(failed());
  ::unlink(beside.c_str());
  return false;
}

bool write_file(const std::string& path, const std::string& content, std::string& error) {
  std::string why;
  if (write_whole(path, content, why)) return true;
  error = "cannot write " + (path == "-" ? "standard output" : "`" + path + "`") + ": " + why;
  return false;
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat x {
  }, y{};
  if (::stat(a.c_str(), &x) != 0 || ::stat(b.c_str(), &y) != 0) return false;
  return x.st_dev == y.st_dev && x.st_ino == y.st_ino && !S_ISCHR(x.st_mode);
}

std::string base_name(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

void leave_fast(int status) {
#ifdef CARRY_FAST_START
  ::_exit(status);
#else
  static_cast<void>(status);
#endif
}

void print_out(const std::string& text) {
  if (!write_all(1, text)) out_trouble = std::strerror(errno);
}
const std::string& print_trouble() { return out_trouble; }
void print_error(const std::string& text) { static_cast<void>(write_all(2, text)); }
bool error_stream_is_terminal() { return ::isatty(2) == 1; }

}  // namespace carry::cli
