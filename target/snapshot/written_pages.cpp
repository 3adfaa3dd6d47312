#include "target/snapshot/written_pages.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <initializer_list>

#include "target/base/base.hpp"

namespace raddle {
namespace {

// Newer than the headers of Debian 12.
constexpr std::uint64_t kAsynchronousProtection = 1 << 15;  // UFFD_FEATURE_WP_ASYNC
constexpr long kUserModeOnly = 1;                           // UFFD_USER_MODE_ONLY
constexpr std::uint64_t kPageIsWritten = 1 << 1;
constexpr std::uint64_t kPageIsPresent = 1 << 3;
constexpr std::uint64_t kPageIsSwapped = 1 << 4;
constexpr std::uint64_t kProtectMatching = 1 << 0;
constexpr std::uint64_t kCheckProtection = 1 << 1;  // an error, not silence, where nobody watches

struct ScanArguments {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t walk_end;
  std::uint64_t vector;
  std::uint64_t vector_length;
  std::uint64_t most_pages;
  std::uint64_t inverted_mask;
  std::uint64_t category_mask;
  std::uint64_t any_of_mask;
  std::uint64_t return_mask;
};
constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanArguments);

// Out of the way of the program's own numbers.
constexpr long kFirstDescriptor = 900;

int moved_high(long fd) {
  if (fd < 0) return -1;
  const long high = raw_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kFirstDescriptor);
  raw_syscall(SYS_close, fd);
  return high < 0 ? -1 : int(high);
}

ScanArguments scan(std::uint64_t begin, std::uint64_t end, bool touched_only) {
  ScanArguments scan{};
  scan.size = sizeof(scan);
  scan.flags = kCheckProtection;
  scan.start = begin;
  scan.end = end;
  scan.category_mask = kPageIsWritten;
  if (touched_only) scan.any_of_mask = kPageIsPresent | kPageIsSwapped;
  scan.return_mask = kPageIsWritten;
  return scan;
}

}  // namespace

bool WrittenPages::open() {
  pagemap_ = moved_high(
      raw_syscall(SYS_openat, AT_FDCWD, as_arg("/proc/self/pagemap"), O_RDONLY | O_CLOEXEC));
  if (pagemap_ < 0) return false;
  faults_ = moved_high(raw_syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly));
  if (faults_ < 0) return true;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kAsynchronousProtection;
  ScanArguments nothing = scan(0, 0, true);
  const bool works = raw_syscall(SYS_ioctl, faults_, long(UFFDIO_API), as_arg(&api)) == 0 &&
                     raw_syscall(SYS_ioctl, pagemap_, long(kPagemapScan), as_arg(&nothing)) >= 0;
  if (works) return true;
  raw_syscall(SYS_close, faults_);
  faults_ = -1;
  return true;
}

void WrittenPages::close() {
  for (int* fd : {&pagemap_, &faults_}) {
    if (*fd >= 0) raw_syscall(SYS_close, *fd);
    *fd = -1;
  }
}

int WrittenPages::descriptors(int* out) const {
  int count = 0;
  for (const int fd : {pagemap_, faults_})
    if (fd >= 0) out[count++] = fd;
  return count;
}

bool WrittenPages::present(std::uint64_t begin, int count, bool* out) const {
  constexpr std::uint64_t kThere = std::uint64_t{3} << 62;  // in memory, in swap
  std::uint64_t entries[kPagesAtOnce] = {};
  const long bytes = long(count) * long(sizeof(entries[0]));
  if (raw_syscall(SYS_pread64, pagemap_, as_arg(entries), bytes,
                  long(begin / 4096 * sizeof(entries[0]))) != bytes)
    return false;
  for (int i = 0; i < count; ++i) out[i] = (entries[i] & kThere) != 0;
  return true;
}

bool WrittenPages::watch(std::uint64_t begin, std::uint64_t end) {
  uffdio_register range{};
  range.range.start = begin;
  range.range.len = end - begin;
  range.mode = UFFDIO_REGISTER_MODE_WP;
  return raw_syscall(SYS_ioctl, faults_, long(UFFDIO_REGISTER), as_arg(&range)) == 0;
}

bool WrittenPages::protect(std::uint64_t begin, std::uint64_t end, bool touched_only) const {
  ScanArguments all = scan(begin, end, touched_only);
  all.flags |= kProtectMatching;
  return raw_syscall(SYS_ioctl, pagemap_, long(kPagemapScan), as_arg(&all)) >= 0;
}

int WrittenPages::written(std::uint64_t begin, std::uint64_t end, bool touched_only, PageRange* out,
                          int capacity, std::uint64_t& next) const {
  ScanArguments some = scan(begin, end, touched_only);
  some.vector = reinterpret_cast<std::uint64_t>(out);
  some.vector_length = std::uint64_t(capacity);
  const long count = raw_syscall(SYS_ioctl, pagemap_, long(kPagemapScan), as_arg(&some));
  next = some.walk_end;
  return count < 0 ? -1 : int(count);
}

}  // namespace raddle
