#include "target/state/separate_heaps.hpp"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"
#include "target/base/kernel_state.hpp"
#include "target/state/value_log.hpp"

namespace raddle {

bool g_separate_heaps;

namespace {

constexpr std::size_t kHeaps = 1024;
constexpr std::size_t kHeapSize = kSeparateHeapsSize / kHeaps;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kGrain = 16;

// In front of each block.
struct Header {
  std::uint64_t bytes;
  std::uint64_t is_free;
};
static_assert(sizeof(Header) == kGrain);

struct Heap {
  bool mapped;
  std::size_t used;
  std::size_t kept;  // of it, what blocks of earlier executions may still need
};
Heap g_heaps[kHeaps];
std::uint64_t g_live;       // blocks that nobody has freed
std::uint64_t g_kept_live;  // when `kept` was set

char* begin_of(std::size_t heap) {
  return reinterpret_cast<char*>(kSeparateHeaps + heap * kHeapSize);
}

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) & ~(to - 1); }

Header& header_of(const void* block) {
  return *reinterpret_cast<Header*>(reinterpret_cast<std::uint64_t>(block) - sizeof(Header));
}

bool map(std::size_t index) {
  Heap& heap = g_heaps[index];
  if (heap.mapped) return true;
  const long mapped =
      outside_syscall(SYS_mmap, as_arg(begin_of(index)), long(kHeapSize), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  heap.mapped = mapped == as_arg(begin_of(index));
  return heap.mapped;
}

void rewind(std::size_t index) {
  Heap& heap = g_heaps[index];
  char* begin = begin_of(index);
  const std::size_t page = round_up(heap.kept, kPage);
  if (heap.used > page)
    outside_syscall(SYS_madvise, as_arg(begin + page), long(round_up(heap.used, kPage) - page),
                    MADV_DONTNEED);
  const std::size_t rest = heap.used < page ? heap.used : page;
  memset(begin + heap.kept, 0, rest - heap.kept);
  heap.used = heap.kept;
}

}  // namespace

void start_separate_heaps(bool wanted) {
  g_separate_heaps = wanted;
  if (!wanted) return;
  if (g_live > g_kept_live) {
    for (Heap& heap : g_heaps) heap.kept = heap.used;
    g_kept_live = g_live;
    note_heap(kHeapMoved);
  }
  for (std::size_t i = 0; i < kHeaps; ++i) {
    if (g_heaps[i].used > g_heaps[i].kept) rewind(i);
  }
}

void* allocate_apart(ThreadId thread, std::size_t bytes, std::size_t alignment) {
  const std::size_t index = raw(thread);
  if (alignment < kGrain) alignment = kGrain;
  if (index >= kHeaps || bytes > kHeapSize || alignment > kHeapSize || !map(index)) {
    note_heap(kHeapFull);
    return nullptr;
  }
  Heap& heap = g_heaps[index];
  const std::size_t at = round_up(heap.used + sizeof(Header), alignment);
  // As malloc(0) does, and with a byte to spare: the end of a block is not the next one's header.
  const std::size_t end = round_up(at + bytes + 1, kGrain);
  if (end > kHeapSize) {
    note_heap(kHeapFull);
    return nullptr;
  }
  heap.used = end;
  void* block = begin_of(index) + at;
  header_of(block) = {bytes, 0};
  ++g_live;
  return block;
}

std::size_t size_apart(const void* block) { return header_of(block).bytes; }

bool free_apart(void* block) {
  Header& header = header_of(block);
  if (header.is_free != 0) return false;
  header.is_free = 1;
  --g_live;
  return true;
}

}  // namespace raddle
