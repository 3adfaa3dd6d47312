// Points: states of the process in the middle of the last execution, from which the next one goes
// on if it begins with the same steps. A point is what differs from main(): contents of pages,
// registers, and where the region's logs had come to. What the logs hold up to there is in the
// region still. Everything else is as it was at main(), or there would be no point
// (system_calls.hpp).
//
// All points are on the way of the last execution, in the order of their steps. Two that follow
// each other share the pages that did not change in between. There are at most kMost, with the
// contents of as many pages as the host allows; where there is no room a point is left out, and its
// neighbours stand for it.
//
// Memory of its own, as all that must not change when the process is put back; but never protected:
// points are made while the program runs, and mprotect() costs more than a point does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/shared_region.hpp"
#include "target/snapshot/own_memory.hpp"
#include "target/snapshot/return_point.hpp"
#include "target/snapshot/saved_pages.hpp"

namespace raddle {

struct Point {
  std::uint64_t step;
  ReturnPoint registers;
  void* thread_area;   // the FS base
  std::uint64_t mask;  // of signals, in the kernel

  // Of the region.
  std::uint64_t switches;
  std::uint64_t preemptions;
  std::uint32_t threads;
  std::uint64_t enabled_used;
  std::uint32_t enabled_stacks;
  std::uint32_t timed_waits;
  Circumstances circumstances;
  std::uint32_t misuses;

  bool is_new;  // of the execution under way
  std::uint32_t pages;
  std::uint32_t* versions;  // of the first so many hot pages; 0: as at main()
};

class Points {
 public:
  static constexpr int kMost = 64;
  static constexpr std::uint32_t kMostPages = 4096;  // hot ones: beyond that a point costs too much

  // In memory of its own, with room for the contents of so many pages. Null: there is no memory.
  static Points* make(std::size_t capacity);
  void unmap();
  bool contains(std::uint64_t address) const { return memory_.contains(address); }

  // A state of this execution at `step`, as the caller sees it; what the caller fills in is
  // registers, thread_area, mask. Null: there is none, for lack of room.
  Point* add(std::uint64_t step, const SavedPages& pages, const SharedRegion& region);

  // The next execution is asked for: drops points that are not on its way. The last one that is, or
  // null.
  const Point* point_for(SharedRegion& region);
  // The contents of memory at that point.
  void put_back(const Point& point, const SavedPages& pages) const;
  // The region, as it was there.
  static void put_back(const Point& point, SharedRegion& region);

  // The execution under way follows this plan, and is not over.
  void begin(const SharedRegion& region);
  // It is over. With `incomplete` it wrote pages that nobody knew of, so its points lack them.
  void end(const SharedRegion& region, bool incomplete);
  void forget() { drop_to(0); }

  // Where the next point should be, after `step`; never: ~0.
  std::uint64_t next_step(std::uint64_t step) const;

 private:
  bool is_same_plan(const SharedRegion& region) const;
  std::int64_t cost() const { return 2 * std::int64_t(gap_); }  // of a point, in steps
  std::uint64_t doubled_gap(std::uint64_t most) const;
  void drop_to(int count);
  void drop(int index);
  void drop_least_useful();
  void release(std::uint32_t version);
  std::uint32_t store(const char* page);
  char* contents(std::uint32_t version) const;

  OwnMemory memory_;
  Point points_[kMost];
  int count_ = 0;
  char* pages_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::uint32_t used_ = 0;         // of pages_, from the first
  std::uint32_t* uses_ = nullptr;  // by version: points that have it
  std::uint32_t* free_ = nullptr;
  std::uint32_t free_count_ = 0;

  Plan plan_;  // of the last execution
  AimSite aims_[kMaxAims];
  std::uint64_t steps_ = 0;     // of the last execution; 0: its log is not there any more
  std::uint64_t expected_ = 0;  // of one that was not cut off
  std::uint64_t gap_ = kPointGap;
  // Steps that points have saved, beyond those that they cost. An order of search whose executions
  // have little in common, one with the next, is not to pay for points.
  std::int64_t balance_ = 2 * kMost * std::int64_t{kPointGap};
};

}  // namespace raddle
