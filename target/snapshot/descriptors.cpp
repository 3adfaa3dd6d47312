#include "target/snapshot/descriptors.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "target/base/base.hpp"

namespace raddle {
namespace {

struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

// Out of the way of the program's own numbers.
constexpr long kFirstSpare = 900;

int read_number(const char* text) {
  int value = 0;
  if (*text < '0' || *text > '9') return -1;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (*text - '0');
  return value;
}

}  // namespace

// In the order of their numbers, so that what lies between two was opened since.
bool SavedDescriptors::add(int fd) {
  if (count_ == kMost) return false;
  struct stat info{};
  if (raw_syscall(SYS_fstat, fd, as_arg(&info)) != 0) return true;
  int at = count_++;
  for (; at > 0 && saved_[at - 1].fd > fd; --at) saved_[at] = saved_[at - 1];
  saved_[at] = {.fd = fd,
                .spare = -1,
                .rewound = fd == 0 && S_ISREG(info.st_mode),
                .flags = int(raw_syscall(SYS_fcntl, fd, F_GETFD)),
                .status = raw_syscall(SYS_fcntl, fd, F_GETFL),
                .device = info.st_dev,
                .inode = info.st_ino};
  return true;
}

bool SavedDescriptors::save(const int* own, int own_count) {
  const long folder = raw_syscall(SYS_openat, AT_FDCWD, as_arg("/proc/self/fd"),
                                  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  alignas(8) char buffer[4096];
  bool fits = true;
  long n;
  while (fits && (n = raw_syscall(SYS_getdents64, folder, as_arg(buffer), sizeof(buffer))) > 0) {
    for (long at = 0; at < n;) {
      const auto& entry = *reinterpret_cast<const DirectoryEntry*>(buffer + at);
      at += entry.size;
      const int fd = read_number(entry.name);
      if (fd >= 0 && fd != folder) fits = fits && add(fd);
    }
  }
  raw_syscall(SYS_close, folder);
  return fits && make_spares(own, own_count);
}

bool SavedDescriptors::make_spares(const int* own, int own_count) {
  const int before = count_;
  int spares[kMost];
  int made = 0;
  for (int i = 0; i < before; ++i) {
    bool is_own = false;
    for (int k = 0; k < own_count; ++k) is_own |= own[k] == saved_[i].fd;
    if (is_own) continue;
    const long spare = raw_syscall(SYS_fcntl, saved_[i].fd, F_DUPFD_CLOEXEC, kFirstSpare);
    if (spare < 0) return false;
    saved_[i].spare = spares[made++] = int(spare);
  }
  for (int i = 0; i < made; ++i)
    if (!add(spares[i])) return false;
  return true;
}

const char* SavedDescriptors::put_back() const {
  for (int i = 0; i < count_; ++i) {
    const Saved& saved = saved_[i];
    struct stat info{};
    const bool same = raw_syscall(SYS_fstat, saved.fd, as_arg(&info)) == 0 &&
                      info.st_dev == saved.device && info.st_ino == saved.inode;
    if (!same && (saved.spare < 0 || raw_syscall(SYS_dup3, saved.spare, saved.fd, 0) < 0))
      return "it closes descriptors that are not its own";
    if (raw_syscall(SYS_fcntl, saved.fd, F_GETFD) != saved.flags)
      raw_syscall(SYS_fcntl, saved.fd, F_SETFD, saved.flags);
    if (!saved.rewound) continue;
    raw_syscall(SYS_lseek, saved.fd, 0, SEEK_SET);
    raw_syscall(SYS_fcntl, saved.fd, F_SETFL, saved.status);
  }
  int next = 0;
  for (int i = 0; i <= count_; ++i) {
    const int last = i < count_ ? saved_[i].fd - 1 : -1;
    if (i < count_ && next > last) {
      next = saved_[i].fd + 1;
      continue;
    }
    if (raw_syscall(SYS_close_range, next, i < count_ ? last : ~0U, 0) != 0)
      return "this kernel cannot close a range of descriptors";
    if (i < count_) next = saved_[i].fd + 1;
  }
  return nullptr;
}

}  // namespace raddle
