// The process at one time: its memory, its descriptors, and what else the kernel holds for it; and
// points in the middle of the last execution, where only memory is different.
#pragma once

#include <cstdint>

#include "target/snapshot/descriptors.hpp"
#include "target/snapshot/mappings.hpp"
#include "target/snapshot/points.hpp"
#include "target/snapshot/saved_pages.hpp"

namespace raddle {

class SavedProcess {
 public:
  // From here on the runtime's mappings for threads stay (target/base/kernel_state.hpp).
  void keep_mappings();

  // Null, or why this process cannot be put back. `own` is for tables, and
  // protected between executions; this object lies in `frame`, which is not.
  const char* save(OwnMemory& own, OwnMemory& frame, const SharedRegion& region);
  void forget();  // after an attempt that failed: as if there had been none

  // Everything but the contents of memory is as it was, all signals blocked. Null, or why that is
  // not possible: then the process must end.
  const char* end_execution(const SharedRegion& region);

  // The next execution is asked for, and memory as it was, at main() or at the point from which
  // that execution goes on; null at main(). False: the process must end.
  bool put_back_memory(SharedRegion& region, const Point*& point);
  // Signals as they were; the last thing before the next execution.
  void begin_execution(const Point* point);

  // Null: this process has no points.
  Points* points() { return points_; }
  const SavedPages& pages() const { return pages_; }

  // The kernel tells what was written; else all is copied back each time.
  bool is_watched() const { return pages_.watcher().can_watch(); }

  bool has_kept(std::uint64_t begin, std::size_t size, std::size_t guard);
  void keep(std::uint64_t begin, std::size_t size, std::size_t guard);
  bool park(std::uint64_t begin, std::size_t size);

 private:
  struct Kept {
    std::uint64_t begin;
    std::size_t size;
    std::size_t guard;
  };
  struct KernelAction {
    void* handler;
    unsigned long flags;
    void* restorer;
    std::uint64_t mask;
  };
  static constexpr int kMostMappings = 2048;
  static constexpr int kMostKept = 1024;
  static constexpr std::size_t kTextBytes = 256 << 10;
  static constexpr int kSignals = 64;

  void prepare_points(const SharedRegion& region);
  const char* what_cannot_be_put_back() const;
  const char* put_back_kernel_state();
  const char* put_back_all_but_memory(bool untouched, bool& more);
  const char* put_back_mappings();
  const char* compare_mappings();
  bool is_ours(std::uint64_t address) const;
  void drop_kept(std::uint64_t begin, std::uint64_t end);
  long mapped_pages() const;
  void save_signals();
  void put_back_signals(std::uint64_t changed) const;

  OwnMemory* own_ = nullptr;
  OwnMemory* frame_ = nullptr;
  SavedPages pages_;
  SavedDescriptors descriptors_;
  Points* points_ = nullptr;
  Mapping* mappings_ = nullptr;
  int mapping_count_ = 0;
  Mapping* current_ = nullptr;  // work space
  char* text_ = nullptr;        // the same, for files of /proc
  Kept kept_[kMostKept] = {};
  int kept_count_ = 0;
  int sizes_ = -1;    // /proc/self/statm
  int threads_ = -1;  // /proc/self/task
  long mapped_ = 0;   // pages in all
  std::uint64_t break_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t alternate_stack_[3] = {};
  KernelAction actions_[kSignals + 1] = {};
  char name_[16] = {};
  void* thread_area_ = nullptr;  // the FS base
};

}  // namespace raddle
