#include "target/heap/execution_heap.hpp"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {
namespace {

constexpr std::size_t kArea = ExecutionHeap::kRuns * ExecutionHeap::kRunSize;
constexpr std::size_t kGrowth = 1024;  // runs that become usable at once: 16 MB
// A freed block of so many runs goes back to the system, which is quicker than to clear it.
constexpr std::size_t kGivenBack = 16;

bool is_error(long result) { return result < 0 && result > -4096; }

long map(std::uintptr_t where, std::size_t size, int protection) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (where != 0) flags |= MAP_FIXED_NOREPLACE;
  return raw_syscall(SYS_mmap, long(where), long(size), protection, flags, -1, 0);
}

// Sizes of small blocks: multiples of 16 up to 128, then four for each doubling.
constexpr std::size_t class_of(std::size_t bytes) {
  if (bytes <= 128) return bytes == 0 ? 0 : (bytes - 1) / 16;
  const std::size_t octave = std::size_t(std::bit_width(bytes - 1)) - 1;
  return 8 + (octave - 7) * 4 + (((bytes - 1) >> (octave - 2)) & 3);
}

constexpr std::size_t size_of(std::size_t size_class) {
  if (size_class < 8) return (size_class + 1) * 16;
  const std::size_t octave = (size_class - 8) / 4 + 7;
  return (4 + (size_class - 8) % 4 + 1) << (octave - 2);
}

static_assert(class_of(128) == 7 && size_of(7) == 128 && class_of(129) == 8 && size_of(8) == 160);
static_assert(class_of(8192) == 31 && size_of(31) == 8192 && class_of(160) == 8);

// Instead of divisions, in what every malloc() and free() does.
struct Quotients {
  std::uint32_t reciprocal[32];
  std::uint32_t blocks_in_run[32];
  constexpr Quotients() : reciprocal(), blocks_in_run() {
    for (std::size_t i = 0; i < 32; ++i) {
      reciprocal[i] = std::uint32_t(((std::uint64_t{1} << 32) + size_of(i) - 1) / size_of(i));
      blocks_in_run[i] = std::uint32_t(ExecutionHeap::kRunSize / size_of(i));
    }
  }
};
constexpr Quotients kQuotients;

constexpr std::size_t blocks_in_run(std::size_t size_class) {
  return kQuotients.blocks_in_run[size_class];
}

// offset / size_of(size_class), for an offset in a run: 14 bits, so that the rounded reciprocal is
// exact.
constexpr std::size_t blocks_before(std::size_t offset, std::size_t size_class) {
  return (offset * kQuotients.reciprocal[size_class]) >> 32;
}

constexpr bool divides_exactly() {
  for (std::size_t c = 0; c < 32; ++c)
    for (std::size_t offset = 0; offset < ExecutionHeap::kRunSize; offset += 16)
      if (blocks_before(offset, c) != offset / size_of(c)) return false;
  return true;
}
static_assert(divides_exactly());

constexpr std::uint64_t bit_of(std::size_t index) { return std::uint64_t{1} << (index % 64); }

}  // namespace

constinit ExecutionHeap g_heap;

bool ExecutionHeap::open(std::uintptr_t where) {
  if (is_open()) return true;
  std::size_t mapped = kArea;
  long area = map(where, mapped, PROT_NONE);
  if (is_error(area)) {
    mapped += kRunSize;  // to begin at a multiple of it
    area = map(0, mapped, PROT_NONE);
  }
  if (is_error(area)) return false;
  const long records = map(0, sizeof(Records), PROT_READ | PROT_WRITE);
  if (is_error(records)) {
    raw_syscall(SYS_munmap, area, long(mapped));
    return false;
  }
  records_ = reinterpret_cast<Records*>(records);
  base_ = (std::uintptr_t(area) + kRunSize - 1) / kRunSize * kRunSize;
  size_ = kArea;
  return true;
}

inline bool ExecutionHeap::find(const void* block, Place& place) const {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(block) - base_;
  place.run = offset / kRunSize;
  place.index = 0;
  const Run& run = records_->runs[place.run];
  const std::size_t inside = offset % kRunSize;
  if (__builtin_expect(run.kind != Kind::kSmall, 0)) return run.kind == Kind::kLarge && inside == 0;
  place.index = blocks_before(inside, run.size_class);
  if (place.index * run.block_size != inside) return false;
  return (run.used[place.index / 64] & bit_of(place.index)) != 0;
}

std::size_t ExecutionHeap::capacity(const void* block) const {
  Place place;
  if (!find(block, place)) return 0;
  const Run& run = records_->runs[place.run];
  return run.kind == Kind::kLarge ? run.bytes : run.block_size;
}

void* ExecutionHeap::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > kArea || alignment > kArea) return nullptr;
  // A block whose size is a power of two is aligned to it.
  if (alignment > 16) bytes = std::bit_ceil(bytes < alignment ? alignment : bytes);
  if (bytes <= kLargestSmall) return allocate_small(class_of(bytes));
  return allocate_large(bytes, alignment);
}

void* ExecutionHeap::allocate_small(std::size_t size_class) {
  BitTree& with_room = records_->with_room[size_class];
  std::size_t number = with_room.lowest();
  if (number == BitTree::kNone) {
    number = take_run();
    if (number == kRuns) return nullptr;
    Run& fresh = records_->runs[number];
    fresh.kind = Kind::kSmall;
    fresh.size_class = std::uint8_t(size_class);
    fresh.block_size = std::uint16_t(size_of(size_class));
    fresh.first_word = 0;
    with_room.set(number);
  }
  Run& run = records_->runs[number];
  while (~run.used[run.first_word] == 0) ++run.first_word;
  std::uint64_t& word = run.used[run.first_word];
  const std::size_t index = std::size_t{run.first_word} * 64 + std::size_t(std::countr_one(word));
  word |= bit_of(index);
  if (__builtin_expect(++run.live == blocks_in_run(size_class), 0)) with_room.clear(number);
  return start_of(number) + index * run.block_size;
}

void* ExecutionHeap::allocate_large(std::size_t bytes, std::size_t alignment) {
  const std::size_t count = (bytes + kRunSize - 1) / kRunSize;
  const std::size_t number = take_runs(count, alignment <= kRunSize ? 1 : alignment / kRunSize);
  if (number == kRuns) return nullptr;
  for (std::size_t i = 0; i < count; ++i) records_->runs[number + i].kind = Kind::kInside;
  records_->runs[number].kind = Kind::kLarge;
  records_->runs[number].bytes = bytes;
  return start_of(number);
}

bool ExecutionHeap::is_free(std::size_t run) const {
  return run >= fresh_ || records_->free_runs.has(run);
}

// The lowest `count` free runs in a row that begin at a multiple of `multiple`, a power of two;
// kRuns if there are none.
std::size_t ExecutionHeap::take_runs(std::size_t count, std::size_t multiple) {
  BitTree& free_runs = records_->free_runs;
  // Addresses are aligned, not the numbers of runs.
  const std::size_t shift = base_ / kRunSize & (multiple - 1);
  std::size_t first = 0;
  for (std::size_t in_a_row = 0; in_a_row < count;) {
    if (in_a_row == 0) {
      first = first < fresh_ ? free_runs.next(first) : first;
      if (first > fresh_) first = fresh_;
      first = ((first + shift + multiple - 1) & ~(multiple - 1)) - shift;
    }
    if (first + count > kRuns) return kRuns;
    if (first + in_a_row >= fresh_) break;
    if (is_free(first + in_a_row)) {
      ++in_a_row;
    } else {
      first += in_a_row + 1;
      in_a_row = 0;
    }
  }
  if (first + count > kRuns || !make_usable(first + count)) return kRuns;
  for (; fresh_ < first + count; ++fresh_) free_runs.set(fresh_);
  for (std::size_t i = 0; i < count; ++i) free_runs.clear(first + i);
  return first;
}

std::size_t ExecutionHeap::take_run() {
  BitTree& free_runs = records_->free_runs;
  const std::size_t number = free_runs.lowest();
  if (__builtin_expect(number == BitTree::kNone, 0)) return take_runs(1, 1);
  free_runs.clear(number);  // it was used before, so it is usable
  return number;
}

bool ExecutionHeap::make_usable(std::size_t runs) {
  if (runs <= usable_) return true;
  std::size_t wanted = (runs + kGrowth - 1) / kGrowth * kGrowth;
  if (wanted > kRuns) wanted = kRuns;
  const long result = raw_syscall(SYS_mprotect, as_arg(start_of(usable_)),
                                  long((wanted - usable_) * kRunSize), PROT_READ | PROT_WRITE);
  if (is_error(result)) return false;
  usable_ = wanted;
  return true;
}

std::size_t ExecutionHeap::release(void* block) {
  Place place;
  if (!find(block, place)) return 0;
  const Run& run = records_->runs[place.run];
  if (__builtin_expect(run.kind == Kind::kLarge, 0)) {
    const std::size_t bytes = run.bytes;
    release_large(place.run);
    return bytes;
  }
  const std::size_t bytes = run.block_size;
  release_small(place);
  return bytes;
}

void ExecutionHeap::release_small(const Place& place) {
  Run& run = records_->runs[place.run];
  BitTree& with_room = records_->with_room[run.size_class];
  const auto word = std::uint8_t(place.index / 64);
  run.used[word] &= ~bit_of(place.index);
  if (word < run.first_word) run.first_word = word;
  note_dirty(place.run, (place.index + 1) * run.block_size);
  if (--run.live > 0) {
    with_room.set(place.run);
    return;
  }
  with_room.clear(place.run);
  make_free(place.run);
}

void ExecutionHeap::release_large(std::size_t number) {
  const std::size_t count = (records_->runs[number].bytes + kRunSize - 1) / kRunSize;
  const bool give_back = count >= kGivenBack;
  if (give_back) {
    raw_syscall(SYS_madvise, as_arg(start_of(number)), long(count * kRunSize), MADV_DONTNEED);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!give_back) note_dirty(number + i, kRunSize);
    make_free(number + i);
  }
}

void ExecutionHeap::make_free(std::size_t run) {
  records_->runs[run].kind = Kind::kFree;
  records_->free_runs.set(run);
}

void ExecutionHeap::note_dirty(std::size_t number, std::size_t bytes) {
  Run& run = records_->runs[number];
  if (run.dirty == 0) {
    run.next_dirty = std::uint32_t(first_dirty_);
    first_dirty_ = number;
  }
  if (bytes > run.dirty) run.dirty = std::uint32_t(bytes);
}

bool ExecutionHeap::release_later(void* block) {
  Place place;
  if (!find(block, place)) return false;
  const std::uint64_t bit = bit_of(place.index);
  std::atomic<std::uint64_t>& late = records_->runs[place.run].late[place.index / 64];
  if ((late.fetch_or(bit) & bit) != 0) return false;
  void* next = late_.load(std::memory_order_relaxed);
  do {
    *static_cast<void**>(block) = next;
  } while (!late_.compare_exchange_weak(next, block));
  return true;
}

void ExecutionHeap::settle() {
  if (!is_open()) return;
  void* block = late_.load(std::memory_order_relaxed);
  if (block != nullptr) block = late_.exchange(nullptr);
  while (block != nullptr) {
    void* next = *static_cast<void**>(block);
    Place place;
    if (find(block, place))
      records_->runs[place.run].late[place.index / 64] &= ~bit_of(place.index);
    release(block);
    block = next;
  }
  while (first_dirty_ != kRuns) {
    const std::size_t number = first_dirty_;
    first_dirty_ = records_->runs[number].next_dirty;
    clean(number);
  }
}

void ExecutionHeap::clean(std::size_t number) {
  Run& run = records_->runs[number];
  char* start = start_of(number);
  if (run.kind == Kind::kFree) {
    memset(start, 0, run.dirty);
  } else if (run.kind == Kind::kSmall) {
    const std::size_t size = run.block_size;
    const std::size_t count = blocks_in_run(run.size_class);
    for (std::size_t i = 0; i < count && i * size < run.dirty; ++i) {
      if ((run.used[i / 64] & bit_of(i)) == 0) memset(start + i * size, 0, size);
    }
    memset(start + count * size, 0, kRunSize - count * size);
  }
  run.dirty = 0;
}

}  // namespace raddle
