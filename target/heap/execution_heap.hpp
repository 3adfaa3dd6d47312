// The heap of executions that follow each other in one process (raddle::check). What a function
// allocates must lie at the same addresses in every execution that makes the same choices, as in a
// process of its own: programs order locks by address, and hash pointers. The C library's allocator
// cannot do that. It remembers what was freed, in which order and by which thread.
//
// This one remembers nothing: a block gets the lowest free place of its size, so where it lies
// depends on the blocks that are allocated at that time, and on nothing else. Once all is freed the
// heap is as new. What an execution leaves allocated (the buffer of a stream, a table that is made
// once) stays where it is, for the executions to come. Freed memory is zero again in the next
// execution, as fresh memory is.
//
// The area is cut into runs of 16 kB. A run has blocks of one size, or is part of one large block.
// What is known about runs lies apart from the blocks, so a block that is freed twice is noticed
// for certain, and a program that writes past a block does not break the heap.
//
// Called by whoever holds the token, except where it says otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "target/heap/bit_tree.hpp"

namespace raddle {

class ExecutionHeap {
 public:
  static constexpr std::size_t kRunSize = std::size_t{16} << 10;
  static constexpr std::size_t kRuns = BitTree::kBits;  // 4 GB

  // Reserves addresses, at `where` if they are free there. False if the system refuses.
  bool open(std::uintptr_t where);
  bool is_open() const { return size_ != 0; }

  // From any thread.
  bool owns(const void* block) const {
    return reinterpret_cast<std::uintptr_t>(block) - base_ < size_;
  }

  // `alignment` is a power of two. Null if there is no room: the caller has another allocator.
  void* allocate(std::size_t bytes, std::size_t alignment = 16);

  // Returns the block's capacity(); 0 if no allocated block begins there.
  std::size_t release(void* block);

  // The same for a thread that does not hold the token, or outside of an execution: the block is
  // free from the next settle() on.
  bool release_later(void* block);

  // Bytes that the block can hold; 0 if no allocated block begins there. From any thread that owns
  // the block.
  std::size_t capacity(const void* block) const;

  // Between two executions.
  void settle();

 private:
  static constexpr std::size_t kClasses = 32;
  static constexpr std::size_t kLargestSmall = 8192;
  static constexpr std::size_t kWords = kRunSize / 16 / 64;

  enum class Kind : std::uint8_t { kFree, kSmall, kLarge, kInside };

  struct Run {
    std::uint64_t used[kWords];               // of small blocks, one bit each
    std::atomic<std::uint64_t> late[kWords];  // released, not settled yet
    std::size_t bytes;                        // of a large block: as asked for
    std::uint32_t live;                       // small blocks
    std::uint32_t dirty;                      // so many bytes at the front are not all zero
    std::uint32_t next_dirty;
    std::uint16_t block_size;  // of small blocks
    std::uint8_t first_word;   // no small block before it is free
    std::uint8_t size_class;
    Kind kind;
  };

  struct Records {
    BitTree free_runs;            // below fresh_; all others are free, too
    BitTree with_room[kClasses];  // runs of that class
    Run runs[kRuns];
  };

  struct Place {
    std::size_t run;
    std::size_t index;  // of the block in the run
  };

  char* start_of(std::size_t run) const { return reinterpret_cast<char*>(base_ + run * kRunSize); }
  bool find(const void* block, Place& place) const;
  void* allocate_small(std::size_t size_class);
  void* allocate_large(std::size_t bytes, std::size_t alignment);
  std::size_t take_runs(std::size_t count, std::size_t multiple);
  std::size_t take_run();
  bool is_free(std::size_t run) const;
  bool make_usable(std::size_t runs);
  void release_small(const Place& place);
  void release_large(std::size_t run);
  void make_free(std::size_t run);
  void note_dirty(std::size_t run, std::size_t bytes);
  void clean(std::size_t run);

  std::uintptr_t base_ = 0;
  std::size_t size_ = 0;
  Records* records_ = nullptr;
  std::size_t fresh_ = 0;   // no run from here on was ever used
  std::size_t usable_ = 0;  // runs that may be read and written
  std::size_t first_dirty_ = kRuns;
  std::atomic<void*> late_{nullptr};  // each begins with a pointer to the next
};

extern ExecutionHeap g_heap;

}  // namespace raddle
