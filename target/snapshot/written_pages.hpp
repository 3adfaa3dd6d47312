// What the kernel knows of pages: which are there at all, and which were written since they were
// protected. The second takes userfaultfd with asynchronous write protection, and PAGEMAP_SCAN.
// Writes cost a short fault in the kernel, those by system calls too, and nobody has to handle
// them. Linux 6.7 has both calls; a container may refuse them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raddle {

struct PageRange {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t categories;
};

class WrittenPages {
 public:
  // False: not even which pages are there.
  bool open();
  void close();  // nothing is watched any more
  // This kernel, and this container, has the calls that tell which were written.
  bool can_watch() const { return faults_ >= 0; }
  int descriptors(int* out) const;  // at most two; returns how many

  // Of `count` pages from `begin` on, at most kPagesAtOnce: whether they hold something of their
  // own, in memory or in swap.
  static constexpr int kPagesAtOnce = 512;
  bool present(std::uint64_t begin, int count, bool* out) const;

  // The pages count from now on. With `touched_only`, pages that nobody has touched are not
  // protected, and count as written when they are touched: right for memory that was zero, and
  // cheap where most of it never is.
  bool watch(std::uint64_t begin, std::uint64_t end);
  bool protect(std::uint64_t begin, std::uint64_t end, bool touched_only) const;

  // Written pages of a watched range from `begin` on, as ranges; `next` is where to go on. Returns
  // how many, or -1.
  int written(std::uint64_t begin, std::uint64_t end, bool touched_only, PageRange* out,
              int capacity, std::uint64_t& next) const;

 private:
  int faults_ = -1;
  int pagemap_ = -1;
};

}  // namespace raddle
