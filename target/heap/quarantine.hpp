// Blocks of the program's own allocator that it has freed: kept back for a while, and filled with
// kFreedWord. Whoever still has the address finds no other block there, and what is read is a
// pointer to nowhere and a number that no program expects: a use after free shows, also in programs
// that raddle-cc did not make. What is kept back is bounded in bytes and in number.
//
// Called by the interposed free(), on the thread that holds the token.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raddle {

class Quarantine {
 public:
  static constexpr std::size_t kMostBytes = 1 << 20;
  static constexpr std::uint32_t kMostBlocks = 4096;
  static constexpr std::size_t kLargest = 64 << 10;  // larger ones go back at once

  // Keeps the block. False: it is here already, so it was freed before.
  bool take(void* block, std::size_t bytes);

  // The address lies in a block that is kept.
  bool covers(const void* address) const;

  // One that has to go, the oldest first; null: none. To be called until then, after each take().
  void* next_to_free();

 private:
  struct Kept {
    void* block;
    std::size_t bytes;
  };
  bool has(const void* block, std::size_t bytes) const;

  std::uint32_t first_ = 0;  // of the ring, the oldest
  std::uint32_t count_ = 0;
  std::size_t bytes_ = 0;
  Kept blocks_[kMostBlocks] = {};
};

extern Quarantine g_quarantine;
extern bool g_frees_kept;  // in this execution

}  // namespace raddle
