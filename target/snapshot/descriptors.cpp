#include "target/snapshot/descriptors.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/kcmp.h>
#include <sys/ioctl.h>
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

int unread_bytes(int fd) {
  int bytes = 0;
  return raw_syscall(SYS_ioctl, fd, FIONREAD, as_arg(&bytes)) == 0 ? bytes : 0;
}

}  // namespace

// In the order of their numbers, so that what lies between two was opened since.
bool SavedDescriptors::add(int fd) {
  if (count_ == kMost) return false;
  struct stat info{};
  if (raw_syscall(SYS_fstat, fd, as_arg(&info)) != 0) return true;
  Kind kind = Kind::kOther;
  if (S_ISREG(info.st_mode)) kind = Kind::kFile;
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode)) kind = Kind::kStream;
  if ((info.st_mode & S_IFMT) == 0) kind = Kind::kEvents;  // epoll sets, counters, timers, ...
  int at = count_++;
  for (; at > 0 && saved_[at - 1].fd > fd; --at) saved_[at] = saved_[at - 1];
  saved_[at] = {.fd = fd,
                .spare = -1,
                .flags = int(raw_syscall(SYS_fcntl, fd, F_GETFD)),
                .unread = -1,
                .kind = kind,
                .rewound = fd == 0 && kind == Kind::kFile,
                .status = raw_syscall(SYS_fcntl, fd, F_GETFL)};
  return true;
}

const char* SavedDescriptors::save(const int* own, int own_count) {
  const long folder = raw_syscall(SYS_openat, AT_FDCWD, as_arg("/proc/self/fd"),
                                  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return "/proc cannot be read";
  alignas(8) char buffer[4096] = {};
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
  return fits ? make_spares(own, own_count) : "it has too many descriptors open at its start";
}

// A second descriptor of each: to know whether the first is still the same, and to have it again.
const char* SavedDescriptors::make_spares(const int* own, int own_count) {
  const int before = count_;
  int spares[kMost];
  int made = 0;
  for (int i = 0; i < before; ++i) {
    Saved& saved = saved_[i];
    bool is_own = false;
    for (int k = 0; k < own_count; ++k) is_own |= own[k] == saved.fd;
    if (is_own) continue;
    if (saved.kind == Kind::kEvents)
      return "it has an epoll set, an event counter or a timer from before its start";
    const long spare = raw_syscall(SYS_fcntl, saved.fd, F_DUPFD_CLOEXEC, kFirstSpare);
    if (spare < 0) return "it has no descriptors to spare";
    saved.spare = spares[made++] = int(spare);
    if (saved.kind == Kind::kStream && saved.fd > 2) saved.unread = unread_bytes(saved.fd);
  }
  for (int i = 0; i < made; ++i)
    if (!add(spares[i])) return "it has too many descriptors open at its start";
  return nullptr;
}

void SavedDescriptors::forget() {
  for (int i = 0; i < count_; ++i)
    if (saved_[i].spare >= 0) raw_syscall(SYS_close, saved_[i].spare);
  count_ = 0;
}

// Containers may refuse the first way; the second takes two that were opened apart for the same.
bool SavedDescriptors::is_same(const Saved& saved) const {
  const long self = raw_syscall(SYS_getpid);
  const long order = raw_syscall(SYS_kcmp, self, self, KCMP_FILE, saved.fd, saved.spare);
  if (order >= 0) return order == 0;
  struct stat now{};
  struct stat before{};
  return raw_syscall(SYS_fstat, saved.fd, as_arg(&now)) == 0 &&
         raw_syscall(SYS_fstat, saved.spare, as_arg(&before)) == 0 && now.st_dev == before.st_dev &&
         now.st_ino == before.st_ino;
}

const char* SavedDescriptors::put_back() const {
  for (int i = 0; i < count_; ++i) {
    const Saved& saved = saved_[i];
    if (saved.spare < 0) {  // one of ours, or a spare
      if (raw_syscall(SYS_fcntl, saved.fd, F_GETFD) != saved.flags)
        return "it closes descriptors that are not its own";
      continue;
    }
    if (!is_same(saved) && raw_syscall(SYS_dup3, saved.spare, saved.fd, 0) < 0)
      return "it closes descriptors that are not its own";
    if (raw_syscall(SYS_fcntl, saved.fd, F_GETFD) != saved.flags)
      raw_syscall(SYS_fcntl, saved.fd, F_SETFD, saved.flags);
    if (saved.unread >= 0 && unread_bytes(saved.fd) != saved.unread)
      return "it leaves something else in a pipe or socket from before its start";
    // To close any descriptor of a file gives up the process's locks of it, as its end would.
    if (saved.kind == Kind::kFile) raw_syscall(SYS_close, raw_syscall(SYS_dup, saved.fd));
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
