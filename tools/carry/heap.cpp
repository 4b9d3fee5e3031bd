// Memory of the program when it is built to start fast (CARRY_FAST_START): a compilation allocates many small blocks and ends
// soon, so blocks are cut off a large chunk and freed ones wait in a list of their size. What it saves is page faults: the
// chunk is one large page where the system has such, else its pages are asked for 32 at a time.
#if defined(CARRY_FAST_START) && defined(__cpp_sized_deallocation)
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr size_t kPage = size_t{2} << 20;      // of large pages
constexpr size_t kSmallPage = 4096;            // start of a range to map: rounded down, what lies before is mapped too
constexpr size_t kAsk = size_t{128} << 10;     // pages asked for at once
constexpr size_t kFine = 1024;                 // up to here sizes go in steps of 16, then in quarters of a power of two
constexpr size_t kLargest = size_t{32} << 10;  // larger blocks are malloc's
constexpr size_t kClasses = kFine / 16 + 5 * 4 + 1;
constexpr int kAdvicePopulateRead = 22;  // MADV_POPULATE_READ and _WRITE, which older headers lack
constexpr int kAdvicePopulate = 23;

struct Free {
  Free* next;
};
struct Chunk {
  uintptr_t begin, end;
};
/// One a thread. A block that another thread frees goes to that thread's list.
struct Heap {
  char* at;
  char* asked;  // pages before it were asked for
  char* end;
  Free* lists[kClasses];
};
thread_local constinit Heap heap{};

// Chunks of all threads, for `delete` without a size. Each is twice as large as the one before.
constexpr uint32_t kMaxChunks = 4096;
constinit Chunk chunks[kMaxChunks]{};
constinit std::atomic<uint32_t> chunk_count{0};

size_t class_of(size_t n) {
  if (n <= kFine) return n == 0 ? 0 : (n - 1) / 16;
  const unsigned width = static_cast<unsigned>(63 - __builtin_clzll(n - 1));  // 2^width <= n - 1, width >= 10
  return kFine / 16 + (width - 10) * 4 + ((n - 1) >> (width - 2) & 3);
}

size_t size_of_class(size_t c) {
  if (c < kFine / 16) return (c + 1) * 16;
  const size_t k = c - kFine / 16;
  return (size_t{4} + k % 4 + 1) << (k / 4 + 8);
}

bool new_chunk(size_t least) {
  const uint32_t index = chunk_count.fetch_add(1);
  if (index >= kMaxChunks) return false;
  size_t size = kPage << (index < 5 ? index : 5);
  if (size < least) size = least;
  void* got = ::mmap(nullptr, size + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return false;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(got) + kPage - 1) / kPage * kPage;
  heap.at = reinterpret_cast<char*>(begin);
  heap.asked = heap.at;
  heap.end = heap.at + size;
  chunks[index] = {begin, begin + size};
  ::madvise(heap.at, size, MADV_HUGEPAGE);
  return true;
}

void* cut(size_t size) {
  if (static_cast<size_t>(heap.end - heap.at) < size && !new_chunk(size)) return std::malloc(size);
  char* block = heap.at;
  heap.at += size;
  while (heap.asked < heap.at) {
    ::madvise(heap.asked, kAsk, kAdvicePopulate);  // refused by older systems: then each page faults
    heap.asked += kAsk;
  }
  return block;
}

bool from_chunk(const void* p) {
  const uintptr_t a = reinterpret_cast<uintptr_t>(p);
  const uint32_t count = chunk_count.load();
  for (uint32_t i = 0; i < count && i < kMaxChunks; ++i) {
    if (a >= chunks[i].begin && a < chunks[i].end) return true;
  }
  return false;
}

// What a compilation touches of the program itself (cmake/hot_sections.ld; null without it). Mapped by few calls in place of
// a fault every 16 pages.
extern "C" {
[[gnu::weak]] extern char carry_hot_text_begin[], carry_hot_text_end[];
[[gnu::weak]] extern char carry_hot_rodata_begin[], carry_hot_rodata_end[];
[[gnu::weak]] extern char carry_hot_data_rel_ro_begin[], carry_hot_data_rel_ro_end[];
}

void map_now(char* begin, char* end) {
  if (begin == end) return;
  const uintptr_t first = reinterpret_cast<uintptr_t>(begin) / kSmallPage * kSmallPage;
  ::madvise(reinterpret_cast<void*>(first), reinterpret_cast<uintptr_t>(end) - first, kAdvicePopulateRead);
}

[[gnu::constructor(101)]] void map_hot_sections() {
  map_now(carry_hot_text_begin, carry_hot_text_end);
  map_now(carry_hot_rodata_begin, carry_hot_rodata_end);
  map_now(carry_hot_data_rel_ro_begin, carry_hot_data_rel_ro_end);
}

[[noreturn]] void out_of_memory() { std::abort(); }

}  // namespace

void* operator new(size_t n) {
  if (n > kLargest) {
    void* large = std::malloc(n);
    if (large == nullptr) out_of_memory();
    return large;
  }
  const size_t c = class_of(n);
  if (Free* head = heap.lists[c]; head != nullptr) {
    heap.lists[c] = head->next;
    return head;
  }
  void* block = cut(size_of_class(c));
  if (block == nullptr) out_of_memory();
  return block;
}

void operator delete(void* p, size_t n) noexcept {
  if (p == nullptr) return;
  if (n > kLargest) {
    std::free(p);
    return;
  }
  Free* head = static_cast<Free*>(p);
  head->next = heap.lists[class_of(n)];
  heap.lists[class_of(n)] = head;
}

/// Its size is not known: a block of a chunk is not used again.
void operator delete(void* p) noexcept {
  if (p != nullptr && !from_chunk(p)) std::free(p);
}
#endif
