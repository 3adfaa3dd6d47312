// The heap of instrumented programs: memory faults in it do not pass silently. Each block has 64
// bytes on either side that are nobody's, and a block that was freed is not used again until
// kQuarantine bytes were freed after it. What may be touched is written in the shadow, a byte for
// every 8 bytes (protocol/hooks_abi.h); the code that raddle-cc made looks there before each
// access. Only this memory is judged: whatever lies elsewhere is none of its business.
//
// An address depends on the allocations of the execution alone. A new block is zero, whether
// an earlier execution of the process was here or not. So a process that is put back need not put
// this memory back: start() forgets what it holds, and puts back the little that the program had
// allocated before it was under control, kMostEarly bytes at most.
//
// Called by the interposed malloc and its kin, on the thread that holds the token.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/hooks_abi.h"

namespace raddle {

// What is known of a block, in front of it.
struct GuardedBlock {
  std::uint64_t mark;   // kLiveMark, kFreedMark: nobody has written here who should not
  std::uint64_t bytes;  // as asked for
  std::uint64_t allocated_at;
  std::uint64_t freed_at;
  std::uint16_t allocated_by;
  std::uint16_t freed_by;
  std::uint32_t chunk;  // of it all, in units of 16 bytes
  GuardedBlock* next;   // in quarantine, or of a list of free ones
  std::uint64_t begin;  // of the chunk: alignment leaves room in front of this
  std::uint64_t unused;
};
static_assert(sizeof(GuardedBlock) == 64);

class GuardedHeap {
 public:
  static constexpr std::uint64_t kBegin = RADDLE_GUARDED_BEGIN;
  static constexpr std::uint64_t kSize = RADDLE_GUARDED_SIZE;
  static constexpr std::size_t kLargest = 128 << 10;  // larger blocks are not for this heap
  static constexpr std::size_t kQuarantine = 1 << 20;
  static constexpr std::size_t kRedzone = sizeof(GuardedBlock);
  static constexpr std::size_t kMostAligned = 4096;
  static constexpr std::uint64_t kLocals = kBegin + 4096;  // for gone_locals.hpp
  static constexpr std::size_t kMostEarly = 256 << 10;

  static bool owns(const void* address) {
    return reinterpret_cast<std::uint64_t>(address) - kBegin < kSize;
  }

  // Once in a process, before any fork: with all that is judged, and its shadow. False: something
  // else is there, and nothing is judged.
  bool map();
  bool is_mapped() const { return mapped_; }

  // An execution begins, in a process that has had none or was put back since. Blocks that the
  // program made before are as they were then.
  void start();

  // There are blocks from before the execution.
  bool has_early() const;

  // Null: not from here. Zero; `by` is the thread's number.
  void* allocate(std::size_t bytes, std::size_t alignment, std::uint64_t site, std::uint16_t by);

  // How it ended: kFreed, or why nothing was done.
  enum class Release : std::uint8_t { kFreed, kFreedBefore, kNoBlock, kOverwritten };
  Release release(void* block, std::uint64_t site, std::uint16_t by);

  bool is_live(const void* block) const;
  // Of a block that somebody has or had. 0: it is none.
  std::size_t size(const void* block) const;

  // What lies at an address that must not be touched. The block is the one that was there, or the
  // one next to it; null if there is none.
  enum class Place : std::uint8_t { kFreed, kBefore, kBehind, kNowhere };
  struct Found {
    Place place;
    const GuardedBlock* block;
    std::int64_t offset;  // from the beginning of the block
  };
  Found find(std::uint64_t address) const;
  // The first byte of a range in this heap that must not be touched; 0 if there is none.
  std::uint64_t first_bad(std::uint64_t begin, std::uint64_t bytes) const;

 private:
  static constexpr std::size_t kClasses = (kRedzone + kMostAligned + kLargest) / 16 + 1;

  void keep_early();
  bool may_be_block(std::uint64_t address) const;
  GuardedBlock* reuse(std::size_t chunk);
  void retire();
  const GuardedBlock* block_at_or_before(std::uint64_t address) const;

  bool mapped_ = false;
  bool started_ = false;
  std::uint64_t used_ = 0;   // by this execution and before it, from kBegin
  std::uint64_t clean_ = 0;  // from there on memory has never been used
  std::size_t quarantined_ = 0;
  GuardedBlock* oldest_ = nullptr;
  GuardedBlock* newest_ = nullptr;
  GuardedBlock* free_[kClasses] = {};
};

extern GuardedHeap g_guarded_heap;
extern bool g_heap_guarded;  // in this execution
extern bool g_heap_early;    // the program is instrumented, and not under control yet

}  // namespace raddle
