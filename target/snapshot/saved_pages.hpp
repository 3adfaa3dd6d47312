// The contents of memory at one time, and the way back to them.
//
// Executions of one program write nearly the same pages. Those that were ever seen written are
// *hot*: they are copied back after each execution without asking anybody, 25 ns a KiB. The rest is
// watched, and the kernel is asked once per range what else was written (written_pages.hpp). Where
// it cannot be asked, all pages are hot; that pays for small programs.
//
// Nothing here may lie in memory that is put back (own_memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/hooks_abi.h"
#include "target/snapshot/mappings.hpp"
#include "target/snapshot/own_memory.hpp"
#include "target/snapshot/written_pages.hpp"

namespace raddle {

class SavedPages {
 public:
  // Saves what these mappings hold, except where they are `own` or `frame`. Null when it is done;
  // else why this program cannot be restored.
  const char* save(const Mapping* mappings, int count, OwnMemory& own, const OwnMemory& frame);

  void forget();  // after an attempt that failed

  // Memory that was mapped since, was zero, and stays mapped: zero again after each execution.
  bool adopt(std::uint64_t begin, std::uint64_t end);
  // Puts the pages of memory that was saved aside: where they were, it is zero now. False if it was
  // not saved, or not as one piece.
  bool park(std::uint64_t begin, std::uint64_t end);
  // All of it is where it was. False: it is not, and the process must not go on.
  bool unpark();
  // It is mapped no more. Hot pages have other numbers from now on.
  void abandon(std::uint64_t begin, std::uint64_t end);

  // An execution begins: from here on page faults count.
  void begin_execution();
  // Nothing was written that is not hot, of an execution without system calls of the program: pages
  // that are watched, or not there yet, are not written without a page fault. `more`: see below.
  bool is_unwritten(bool& more);
  // What was written since is hot. False: that is not known, and the process must not go on.
  // `more`: some of it was not hot when the execution began.
  bool find_written(bool& more);
  // All memory is as it was, after that.
  void put_back() const;
  // Once in a while, when it is: what is hot is learned anew. False: the process must not go on.
  bool is_time_to_cool() { return ++times_ % kCoolDown == 0; }
  bool cool_down();

  struct HotPage {
    char* page;
    const char* contents;  // null: zero
    std::uint32_t* slot;
  };
  std::uint32_t hot_count() const { return hot_count_; }
  const HotPage& hot(std::uint32_t index) const { return hot_[index]; }

  // Pages that copies may take: part of what the machine has to spare.
  static std::uint32_t affordable_pages();

  const WrittenPages& watcher() const { return watcher_; }
  bool is_own(std::uint64_t address) const {
    return own_->contains(address) || store_memory_.contains(address) || is_judged(address);
  }

 private:
  // The heap of instrumented programs and the shadows of heap and stacks: nothing in there outlives
  // an execution (heap/guarded_heap.hpp, heap/gone_locals.hpp).
  static bool is_judged(std::uint64_t address) {
    const std::uint64_t area_of_shadow = address * 8 >> RADDLE_AREA_SHIFT;
    return address - RADDLE_GUARDED_BEGIN < RADDLE_GUARDED_SIZE ||
           (area_of_shadow | RADDLE_AREA_BITS) == RADDLE_AREA_NUMBER;
  }

  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t* slots;  // of each page: 0 for zero, or 1 + its place in the store; kHot besides
    bool touched_only;
  };
  struct Parked {
    std::uint64_t begin;
    std::uint64_t end;
  };
  static constexpr int kMostRanges = 4096;
  static constexpr int kMostParked = 256;
  static constexpr std::uint32_t kHot = 1U << 31;
  // So often the hot pages are learned anew: a page that was written once must not be copied for
  // ever.
  static constexpr std::uint32_t kCoolDown = 1024;

  Range* add_range(std::uint64_t begin, std::uint64_t end, bool touched_only);
  bool save_contents(Range& range, bool all);
  bool make_hot(Range& range, std::size_t page);
  bool find_written(Range& range) { return find_written(range, range.begin, range.end); }
  bool find_written(Range& range, std::uint64_t begin, std::uint64_t end);
  bool find_present(Range& range);

  WrittenPages watcher_;
  OwnMemory* own_ = nullptr;
  OwnMemory store_memory_;
  Range* ranges_ = nullptr;
  int range_count_ = 0;
  HotPage* hot_ = nullptr;
  std::uint32_t hot_count_ = 0;
  std::uint32_t known_ = 0;  // of the hot pages, when the execution began
  char* store_ = nullptr;
  std::uint32_t stored_ = 0;
  std::uint32_t store_capacity_ = 0;
  std::uint32_t times_ = 0;
  long faults_ = -1;  // of the process, before the execution; -1: not known
  Parked parked_[kMostParked] = {};
  int parked_count_ = 0;
};

}  // namespace raddle
