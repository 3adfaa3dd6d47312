#include "target/snapshot/saved_pages.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kPage = 4096;
// Without help of the kernel all pages are copied back each time; from here on a fork costs less.
constexpr std::uint32_t kMostUnwatched = 1024;
constexpr std::uint32_t kMostSaved = 1 << 18;  // a GiB
constexpr std::uint64_t kShareOfMemory = 16;   // other workers want their share, too
constexpr std::uint64_t kLargestRange = 1ULL << 30;
constexpr std::uint32_t kMostHot = 1 << 16;  // 256 MiB

std::size_t pages_in(std::uint64_t begin, std::uint64_t end) { return (end - begin) / kPage; }

// Of this thread, which is the only one; -1 if the kernel does not say.
long page_faults() {
  rusage usage{};
  if (raw_syscall(SYS_getrusage, RUSAGE_THREAD, as_arg(&usage)) != 0) return -1;
  return usage.ru_minflt + usage.ru_majflt;
}

}  // namespace

std::uint32_t SavedPages::affordable_pages() {
  char text[256] = {};
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, as_arg("/proc/meminfo"), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) raw_syscall(SYS_read, fd, as_arg(text), sizeof(text) - 1);
  raw_syscall(SYS_close, fd);
  const char* at = strstr(text, "MemAvailable:");
  if (at == nullptr) return kMostSaved;
  while (*at != 0 && (*at < '0' || *at > '9')) ++at;
  std::uint64_t kib = 0;
  for (; *at >= '0' && *at <= '9'; ++at) kib = kib * 10 + std::uint64_t(*at - '0');
  const std::uint64_t pages = kib / 4 / kShareOfMemory;
  return pages < kMostSaved ? std::uint32_t(pages) : kMostSaved;
}

SavedPages::Range* SavedPages::add_range(std::uint64_t begin, std::uint64_t end,
                                         bool touched_only) {
  if (range_count_ == kMostRanges) return nullptr;
  auto* slots =
      static_cast<std::uint32_t*>(own_->allocate(pages_in(begin, end) * sizeof(std::uint32_t)));
  if (slots == nullptr) return nullptr;
  ranges_[range_count_] = {begin, end, slots, touched_only};
  return &ranges_[range_count_++];
}

// `all`: pages that nobody has touched are a file's, and not zero.
bool SavedPages::save_contents(Range& range, bool all) {
  bool present[WrittenPages::kPagesAtOnce];
  const std::size_t pages = pages_in(range.begin, range.end);
  for (std::size_t first = 0; first < pages; first += WrittenPages::kPagesAtOnce) {
    const std::size_t left = pages - first;
    const int count =
        left < std::size_t(WrittenPages::kPagesAtOnce) ? int(left) : WrittenPages::kPagesAtOnce;
    if (!all && !watcher_.present(range.begin + first * kPage, count, present)) return false;
    for (int i = 0; i < count; ++i) {
      if (!all && !present[i]) continue;
      if (stored_ == store_capacity_) return false;
      const std::size_t page = first + std::size_t(i);
      memcpy(store_ + stored_ * kPage, reinterpret_cast<char*>(range.begin + page * kPage), kPage);
      range.slots[page] = ++stored_;
    }
  }
  return true;
}

const char* SavedPages::save(const Mapping* mappings, int count, OwnMemory& own,
                             const OwnMemory& frame) {
  own_ = &own;
  if (!watcher_.open()) return "the kernel does not tell which pages it has";
  store_capacity_ = watcher_.can_watch() ? affordable_pages() : kMostUnwatched;
  ranges_ = static_cast<Range*>(own.allocate(kMostRanges * sizeof(Range)));
  hot_ = static_cast<HotPage*>(own.allocate(kMostHot * sizeof(HotPage)));
  if (!store_memory_.map(kStoreMemory, store_capacity_ * kPage))
    return "there is no memory for a snapshot";
  store_ = static_cast<char*>(store_memory_.allocate(store_capacity_ * kPage));
  if (hot_ == nullptr) return "there is no memory for a snapshot";
  for (int i = 0; i < count; ++i) {
    const Mapping& mapping = mappings[i];
    if (!mapping.writable || mapping.shared || mapping.kernel) continue;
    if (is_own(mapping.begin) || frame.contains(mapping.begin)) continue;
    if (mapping.end - mapping.begin > kLargestRange) return "it has mapped more than 1 GiB at once";
    if (!mapping.readable) return "it has memory that can be written and not read";
    Range* range = add_range(mapping.begin, mapping.end, false);
    if (range == nullptr) return "it has mapped too much";
    // First protected, then saved: what is written in between is put back, too.
    if (watcher_.can_watch() && (!watcher_.watch(range->begin, range->end) ||
                                 !watcher_.protect(range->begin, range->end, false)))
      return "the kernel does not watch some of its memory";
    if (!save_contents(*range, mapping.file))
      return watcher_.can_watch() ? "it has too much memory in use for a second copy"
                                  : "it has more than 4 MiB of memory in use, and the kernel does "
                                    "not tell what an execution writes";
  }
  store_memory_.protect(true);
  return nullptr;
}

void SavedPages::forget() {
  watcher_.close();
  store_memory_.unmap();
}

bool SavedPages::adopt(std::uint64_t begin, std::uint64_t end) {
  Range* range = add_range(begin, end, true);
  return range != nullptr && (!watcher_.can_watch() || watcher_.watch(begin, end));
}

namespace {

// As far from the beginning of a huge page as before: then whole tables of pages are moved at once.
std::uint64_t parking_of(std::uint64_t address) {
  constexpr std::uint64_t kParking = 0x6400'0000'0000;
  constexpr std::uint64_t kParkingSize = std::uint64_t{1} << 40;
  return kParking + address % kParkingSize;
}

bool moved(std::uint64_t from, std::uint64_t to, std::uint64_t bytes, int flags) {
  return raw_syscall(SYS_mremap, long(from), long(bytes), long(bytes),
                     MREMAP_MAYMOVE | MREMAP_FIXED | flags, long(to)) == long(to);
}

}  // namespace

bool SavedPages::park(std::uint64_t begin, std::uint64_t end) {
  for (int i = 0; i < range_count_; ++i) {
    Range& range = ranges_[i];
    if (begin < range.begin || end > range.end || range.touched_only) continue;
    if (parked_count_ == kMostParked) return false;
    // Once it is moved the kernel does not know any more.
    if (watcher_.can_watch() && !find_written(range, begin, end)) return false;
    if (!moved(begin, parking_of(begin), end - begin, MREMAP_DONTUNMAP)) return false;
    parked_[parked_count_++] = {begin, end};
    return true;
  }
  return false;
}

bool SavedPages::unpark() {
  for (; parked_count_ > 0; --parked_count_) {
    const Parked& parked = parked_[parked_count_ - 1];
    // Whatever is there now goes: it is the execution's own.
    if (!moved(parking_of(parked.begin), parked.begin, parked.end - parked.begin, 0)) return false;
    if (watcher_.can_watch() && (!watcher_.watch(parked.begin, parked.end) ||
                                 !watcher_.protect(parked.begin, parked.end, false)))
      return false;
  }
  return true;
}

void SavedPages::abandon(std::uint64_t begin, std::uint64_t end) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < hot_count_; ++i) {
    const auto page = reinterpret_cast<std::uint64_t>(hot_[i].page);
    if (page < begin || page >= end) hot_[kept++] = hot_[i];
  }
  hot_count_ = kept;
  known_ = kMostHot + 1;
  int ranges = 0;
  for (int i = 0; i < range_count_; ++i)
    if (ranges_[i].begin < begin || ranges_[i].begin >= end) ranges_[ranges++] = ranges_[i];
  range_count_ = ranges;
}

bool SavedPages::make_hot(Range& range, std::size_t page) {
  std::uint32_t& slot = range.slots[page];
  if ((slot & kHot) != 0) return true;
  if (hot_count_ == kMostHot) return false;
  hot_[hot_count_++] = {reinterpret_cast<char*>(range.begin + page * kPage),
                        slot == 0 ? nullptr : store_ + (slot - 1) * kPage, &slot};
  slot |= kHot;
  return true;
}

bool SavedPages::find_written(Range& range, std::uint64_t begin, std::uint64_t end) {
  constexpr int kAtOnce = 64;
  PageRange found[kAtOnce];
  for (std::uint64_t at = begin; at < end;) {
    std::uint64_t next = end;
    const int count = watcher_.written(at, end, range.touched_only, found, kAtOnce, next);
    if (count < 0) return false;
    for (int i = 0; i < count; ++i)
      for (std::uint64_t page = found[i].begin; page < found[i].end; page += kPage)
        if (!make_hot(range, pages_in(range.begin, page))) return false;
    at = next;
  }
  return true;
}

bool SavedPages::find_present(Range& range) {
  bool present[WrittenPages::kPagesAtOnce];
  const std::size_t pages = pages_in(range.begin, range.end);
  for (std::size_t first = 0; first < pages; first += WrittenPages::kPagesAtOnce) {
    const std::size_t left = pages - first;
    const int count =
        left < std::size_t(WrittenPages::kPagesAtOnce) ? int(left) : WrittenPages::kPagesAtOnce;
    if (!watcher_.present(range.begin + first * kPage, count, present)) return false;
    for (int i = 0; i < count; ++i) {
      const std::size_t page = first + std::size_t(i);
      if ((present[i] || range.slots[page] != 0) && !make_hot(range, page)) return false;
    }
  }
  return true;
}

void SavedPages::begin_execution() { faults_ = page_faults(); }

bool SavedPages::is_unwritten(bool& more) {
  if (faults_ < 0 || page_faults() != faults_) return false;
  more = hot_count_ != known_;
  known_ = hot_count_;
  return true;
}

bool SavedPages::find_written(bool& more) {
  for (int i = 0; i < range_count_; ++i) {
    Range& range = ranges_[i];
    if (!(watcher_.can_watch() ? find_written(range) : find_present(range))) return false;
  }
  more = hot_count_ != known_;
  known_ = hot_count_;
  return true;
}

void SavedPages::put_back() const {
  for (std::uint32_t i = 0; i < hot_count_; ++i) {
    const HotPage& hot = hot_[i];
    if (hot.contents != nullptr) {
      memcpy(hot.page, hot.contents, kPage);
    } else {
      memset(hot.page, 0, kPage);
    }
  }
}

bool SavedPages::cool_down() {
  if (!watcher_.can_watch()) return true;
  for (std::uint32_t i = 0; i < hot_count_; ++i) *hot_[i].slot &= ~kHot;
  hot_count_ = known_ = 0;
  for (int i = 0; i < range_count_; ++i) {
    const Range& range = ranges_[i];
    if (!watcher_.protect(range.begin, range.end, range.touched_only)) return false;
  }
  return true;
}

}  // namespace raddle
