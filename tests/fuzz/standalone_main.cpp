// Drives a fuzzer without libFuzzer: `fuzz_x RUNS [CORPUS...]` feeds every file of the corpus folders and then RUNS
// seeded mutations of them. Same corpus, same runs, on every machine. A run over 10 seconds of
// processor time (a loaded machine makes no hang) is reported as one.
#include <dirent.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

const Bytes* current_input = nullptr;

// Leaves the input that ended the process where it can be replayed as a corpus file.
void save_current(int signal) {
  if (current_input != nullptr) {
    if (FILE* out = std::fopen("fuzz-finding.bin", "wb")) {
      std::fwrite(current_input->data(), 1, current_input->size(), out);
      std::fclose(out);
    }
  }
  std::fprintf(stderr, "%s: the input is in fuzz-finding.bin\n", signal == SIGVTALRM ? "hang" : "crash");
  std::_Exit(1);
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return n == 0 ? 0 : static_cast<size_t>(next() % n); }

 private:
  uint64_t state_;
};

void read_corpus(const std::string& path, std::vector<Bytes>& corpus) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return;
  if (S_ISDIR(info.st_mode)) {
    std::vector<std::string> names;
    if (DIR* folder = opendir(path.c_str())) {
      while (const dirent* entry = readdir(folder)) {
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
      }
      closedir(folder);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) read_corpus(path + "/" + name, corpus);
    return;
  }
  FILE* in = std::fopen(path.c_str(), "rb");
  if (in == nullptr) return;
  Bytes bytes(static_cast<size_t>(info.st_size));
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), in));
  std::fclose(in);
  corpus.push_back(std::move(bytes));
}

void mutate_once(Bytes& bytes, const std::vector<Bytes>& corpus, Random& random) {
  constexpr size_t kLongest = 1 << 16;
  const size_t at = random.below(bytes.size() + 1);
  const size_t rest = bytes.size() - at;
  switch (random.below(6)) {
    case 0:  // one byte
      if (rest > 0) bytes[at] = static_cast<uint8_t>(random.next());
      break;
    case 1:  // remove a stretch
      bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                  bytes.begin() + static_cast<std::ptrdiff_t>(at + std::min(rest, 1 + random.below(32))));
      break;
    case 2: {  // repeat a stretch
      const Bytes part(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                       bytes.begin() + static_cast<std::ptrdiff_t>(at + std::min(rest, 1 + random.below(64))));
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size() + 1)), part.begin(), part.end());
      break;
    }
    case 3: {  // a stretch of another file
      const Bytes& other = corpus[random.below(corpus.size())];
      const size_t from = random.below(other.size() + 1);
      const size_t count = std::min(other.size() - from, 1 + random.below(64));
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), other.begin() + static_cast<std::ptrdiff_t>(from),
                   other.begin() + static_cast<std::ptrdiff_t>(from + count));
      break;
    }
    case 4:  // punctuation that changes structure
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   static_cast<uint8_t>("(){}[]<>;,.+-*/%&|^!~=?:#\\\"'\n0"[random.below(30)]));
      break;
    default:  // cut off the end
      if (random.below(4) == 0) bytes.resize(at);
      break;
  }
  if (bytes.size() > kLongest) bytes.resize(kLongest);
}

void limit_time(long seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
}

void run(const Bytes& bytes) {
  current_input = &bytes;
  limit_time(10);
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  limit_time(0);
  current_input = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  for (const int signal : {SIGVTALRM, SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, save_current);
  const long runs = argc > 1 ? std::atol(argv[1]) : 1000;
  std::vector<Bytes> corpus;
  for (int i = 2; i < argc; ++i) read_corpus(argv[i], corpus);
  for (const Bytes& bytes : corpus) run(bytes);
  if (corpus.empty()) corpus.emplace_back();
  Random random(1);
  for (long i = 0; i < runs; ++i) {
    Bytes bytes = corpus[random.below(corpus.size())];
    for (size_t n = 1 + random.below(8); n > 0; --n) mutate_once(bytes, corpus, random);
    run(bytes);
  }
  std::printf("%zu files, %ld mutations\n", corpus.size(), runs);
  return 0;
}
