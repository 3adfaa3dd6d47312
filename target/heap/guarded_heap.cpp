#include "target/heap/guarded_heap.hpp"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {

GuardedHeap g_guarded_heap;
bool g_heap_guarded;
bool g_heap_early;

namespace {

constexpr std::uint64_t kLiveMark = 0x5afe'b10c'5afe'b10c;
constexpr std::uint64_t kFreedMark = 0xdead'b10c'dead'b10c;
constexpr std::uint64_t kGrain = 16;
constexpr std::uint64_t kGranule = 8;  // of the shadow
constexpr std::uint8_t kPoison = 0xdf;

// The first pages are the runtime's own: what outlives an execution, in a process that is put back.
struct Kept {
  std::uint64_t used;       // by executions up to now, from kBegin
  std::uint64_t early_end;  // of what came before all executions, from kBegin; 0: not copied yet
};
constexpr std::uint64_t kFirst = 8 << 20;
static_assert(GuardedHeap::kLocals + sizeof(RaddleLocals) <= GuardedHeap::kBegin + kFirst);
// Copies of early blocks and their shadow lie at the end, where no block comes to lie.
constexpr std::uint64_t kCopies = GuardedHeap::kSize - 2 * GuardedHeap::kMostEarly;
constexpr std::uint64_t kShadowCopies = kCopies + GuardedHeap::kMostEarly;
Kept& kept() { return *reinterpret_cast<Kept*>(GuardedHeap::kBegin); }

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) & ~(to - 1);
}

std::uint8_t* shadow(std::uint64_t address) {
  return reinterpret_cast<std::uint8_t*>(address / kGranule);
}

void mark(std::uint64_t begin, std::uint64_t end, std::uint8_t as) {
  memset(shadow(begin), as, (end - begin) / kGranule);
}

std::uint64_t address_of(const GuardedBlock* block) {
  return reinterpret_cast<std::uint64_t>(block) + sizeof(GuardedBlock);
}

GuardedBlock* header_of(const void* block) {
  return reinterpret_cast<GuardedBlock*>(reinterpret_cast<std::uint64_t>(block) -
                                         sizeof(GuardedBlock));
}

bool map_at(std::uint64_t where, std::uint64_t bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  const long result =
      raw_syscall(SYS_mmap, long(where), long(bytes), PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (result == long(where)) {
    // Little of it is used, here and there.
    raw_syscall(SYS_madvise, result, long(bytes), MADV_NOHUGEPAGE);
    return true;
  }
  if (result > 0) raw_syscall(SYS_munmap, result, long(bytes));
  return false;
}

}  // namespace

bool GuardedHeap::map() {
  if (mapped_) return true;
  used_ = clean_ = kFirst;
  // Whatever the program asks for in one of the areas has a shadow, also where nothing is judged.
  for (std::uint64_t bits = 0; bits <= RADDLE_AREA_BITS; bits += RADDLE_STACK_BITS) {
    const std::uint64_t area = (RADDLE_AREA_NUMBER ^ bits) << RADDLE_AREA_SHIFT;
    if (!map_at(area / kGranule, RADDLE_AREA_SIZE / kGranule)) return false;
  }
  mapped_ = map_at(kBegin, kSize);
  return mapped_;
}

bool GuardedHeap::has_early() const { return (started_ ? kept().early_end : used_) > kFirst; }

// What used_, the lists and the quarantine say of early blocks was put back with the process.
void GuardedHeap::keep_early() {
  const std::uint64_t bytes = used_ + kRedzone - kFirst;
  void* const blocks = reinterpret_cast<void*>(kBegin + kFirst);
  void* const copies = reinterpret_cast<void*>(kBegin + kCopies);
  void* const shadow_copies = reinterpret_cast<void*>(kBegin + kShadowCopies);
  if (kept().early_end == 0) {
    memcpy(copies, blocks, bytes);
    memcpy(shadow_copies, shadow(kBegin + kFirst), bytes / kGranule);
    kept().early_end = used_;
  } else {
    memcpy(blocks, copies, bytes);
    memcpy(shadow(kBegin + kFirst), shadow_copies, bytes / kGranule);
  }
}

void GuardedHeap::start() {
  if (!mapped_) return;
  const std::uint64_t before = kept().used;
  const std::uint64_t early = has_early() ? used_ + kRedzone : kFirst;
  clean_ = before > kFirst ? before + kRedzone : kFirst;
  if (clean_ > early) mark(kBegin + early, kBegin + round_up(clean_, kGrain), 0);
  if (has_early()) keep_early();
  started_ = true;
}

// One that was freed long ago. With a larger alignment a block may begin elsewhere in its chunk.
GuardedBlock* GuardedHeap::reuse(std::size_t chunk) {
  GuardedBlock* block = free_[chunk / kGrain];
  if (block != nullptr) free_[chunk / kGrain] = block->next;
  return block;
}

void* GuardedHeap::allocate(std::size_t bytes, std::size_t alignment, std::uint64_t site,
                            std::uint16_t by) {
  if (!mapped_ || bytes > kLargest || alignment > kMostAligned) return nullptr;
  const std::size_t slack = alignment > kGrain ? alignment - kGrain : 0;
  const std::size_t chunk = round_up(kRedzone + slack + (bytes > 0 ? bytes : 1), kGrain);
  std::uint64_t begin = kBegin + used_;
  const GuardedBlock* old = reuse(chunk);
  if (old != nullptr) {
    begin = old->begin;
  } else {
    const std::uint64_t most = started_ ? kCopies : kFirst + kMostEarly;
    if (used_ + chunk + kRedzone > most) return nullptr;
    used_ += chunk;
    if (used_ > kept().used) kept().used = used_;
  }
  const std::uint64_t end = begin + chunk;
  const std::uint64_t address = round_up(begin + kRedzone, alignment > kGrain ? alignment : kGrain);
  if (old != nullptr || begin - kBegin < clean_) memset(reinterpret_cast<void*>(begin), 0, chunk);
  auto* block = header_of(reinterpret_cast<void*>(address));
  *block = {kLiveMark, bytes, site, 0, by, 0, std::uint32_t(chunk / kGrain), nullptr, begin, 0};
  mark(begin, address, RADDLE_SHADOW_OUTSIDE);
  *shadow(begin) = RADDLE_SHADOW_BEGIN;
  const std::uint64_t whole = bytes / kGranule * kGranule;
  mark(address, address + whole, 0);
  mark(address + whole, end, RADDLE_SHADOW_OUTSIDE);
  if (bytes % kGranule != 0) *shadow(address + whole) = std::uint8_t(bytes % kGranule);
  // What comes behind the last chunk is nobody's.
  if (end == kBegin + used_) mark(end, end + kRedzone, RADDLE_SHADOW_OUTSIDE);
  return reinterpret_cast<void*>(address);
}

void GuardedHeap::retire() {
  GuardedBlock* block = oldest_;
  oldest_ = block->next;
  if (oldest_ == nullptr) newest_ = nullptr;
  const std::size_t chunk = block->chunk * kGrain;
  quarantined_ -= chunk;
  block->next = free_[block->chunk];
  free_[block->chunk] = block;
}

GuardedHeap::Release GuardedHeap::release(void* memory, std::uint64_t site, std::uint16_t by) {
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (!may_be_block(address)) return Release::kNoBlock;
  GuardedBlock* block = header_of(memory);
  if (block->mark == kFreedMark) return Release::kFreedBefore;
  if (block->mark != kLiveMark) {
    const bool begins = *shadow(address - kGranule) == RADDLE_SHADOW_OUTSIDE &&
                        *shadow(address) != RADDLE_SHADOW_OUTSIDE;
    return begins ? Release::kOverwritten : Release::kNoBlock;
  }
  block->mark = kFreedMark;
  block->freed_at = site;
  block->freed_by = by;
  block->next = nullptr;
  const std::uint64_t end = block->begin + block->chunk * kGrain;
  mark(address, round_up(address + block->bytes, kGranule), RADDLE_SHADOW_FREED);
  if (block->bytes == 0) mark(address, end, RADDLE_SHADOW_FREED);
  memset(memory, kPoison, block->bytes);
  (newest_ != nullptr ? newest_->next : oldest_) = block;
  newest_ = block;
  quarantined_ += block->chunk * kGrain;
  while (quarantined_ > kQuarantine && oldest_ != newest_) retire();
  return Release::kFreed;
}

std::uint64_t GuardedHeap::first_bad(std::uint64_t begin, std::uint64_t bytes) const {
  const std::uint64_t end = begin + bytes < kBegin + kSize ? begin + bytes : kBegin + kSize;
  for (std::uint64_t at = begin; at < end; at = at / kGranule * kGranule + kGranule) {
    const std::uint8_t touchable = *shadow(at);
    if (touchable == 0) continue;
    const std::uint64_t granule = at / kGranule * kGranule;
    if (touchable >= kGranule || at - granule >= touchable) return at;
    if (granule + touchable < end) return granule + touchable;
  }
  return 0;
}

bool GuardedHeap::may_be_block(std::uint64_t address) const {
  return address % kGrain == 0 && address >= kBegin + kFirst + kRedzone && address < kBegin + used_;
}

bool GuardedHeap::is_live(const void* memory) const {
  return may_be_block(reinterpret_cast<std::uint64_t>(memory)) &&
         header_of(memory)->mark == kLiveMark;
}

std::size_t GuardedHeap::size(const void* memory) const {
  if (!may_be_block(reinterpret_cast<std::uint64_t>(memory))) return 0;
  const GuardedBlock* block = header_of(memory);
  return block->mark == kLiveMark || block->mark == kFreedMark ? block->bytes : 0;
}

const GuardedBlock* GuardedHeap::block_at_or_before(std::uint64_t address) const {
  for (std::uint64_t at = address / kGranule * kGranule; at >= kBegin + kFirst; at -= kGranule) {
    if (*shadow(at) != RADDLE_SHADOW_BEGIN) continue;
    // Alignment may leave room in front of its header.
    for (std::uint64_t offset = kRedzone; offset <= kRedzone + kMostAligned; offset += kGrain) {
      const GuardedBlock* block = header_of(reinterpret_cast<void*>(at + offset));
      if (block->begin == at) return block;
    }
    return nullptr;
  }
  return nullptr;
}

GuardedHeap::Found GuardedHeap::find(std::uint64_t address) const {
  const GuardedBlock* block = block_at_or_before(address);
  if (block == nullptr) return {Place::kNowhere, nullptr, 0};
  const auto offset = std::int64_t(address - address_of(block));
  if (offset >= 0) {
    const bool freed = block->mark == kFreedMark && offset <= std::int64_t(block->bytes);
    return {freed ? Place::kFreed : Place::kBehind, block, offset};
  }
  // In front of this block, or behind the one before: whichever is nearer.
  const GuardedBlock* previous =
      block->begin > kBegin + kFirst ? block_at_or_before(block->begin - kGranule) : nullptr;
  if (previous == nullptr) return {Place::kBefore, block, offset};
  const std::int64_t behind = std::int64_t(address - address_of(previous));
  if (behind - std::int64_t(previous->bytes) < -offset) return {Place::kBehind, previous, behind};
  return {Place::kBefore, block, offset};
}

}  // namespace raddle
