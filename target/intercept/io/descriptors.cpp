// Which descriptors are internal. Pipes and sockets are recognised by their inode, which stays
// right whatever becomes of the number (dup, fclose, SCM_RIGHTS); event counters and epoll sets
// share one inode, so these are remembered by number.
#include "target/intercept/io/descriptors.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "target/base/forgetting.hpp"
#include "target/base/kernel_state.hpp"
#include "target/intercept/io/io_wait.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {
namespace {

// Open addressing over inode numbers, at most half full. Inodes are not used again, so none is
// removed.
RADDLE_FORGOTTEN std::uint64_t* g_inodes;
RADDLE_FORGOTTEN std::size_t g_inode_capacity;
RADDLE_FORGOTTEN std::size_t g_inode_count;

std::uint64_t* inode_slot(std::uint64_t inode) {
  std::size_t i = (inode * 0x9e3779b97f4a7c15ULL) >> 20 & (g_inode_capacity - 1);
  while (g_inodes[i] != 0 && g_inodes[i] != inode) i = (i + 1) & (g_inode_capacity - 1);
  return &g_inodes[i];
}

void remember_inode(std::uint64_t inode) {
  if (g_inode_count * 2 >= g_inode_capacity) {
    std::uint64_t* old = g_inodes;
    std::size_t old_capacity = g_inode_capacity;
    g_inode_capacity = old_capacity == 0 ? 256 : old_capacity * 2;
    g_inodes =
        static_cast<std::uint64_t*>(arena_allocate(g_inode_capacity * sizeof(std::uint64_t)));
    for (std::size_t i = 0; i < old_capacity; ++i) {
      if (old[i] != 0) *inode_slot(old[i]) = old[i];
    }
  }
  std::uint64_t* slot = inode_slot(inode);
  if (*slot == 0) ++g_inode_count;
  *slot = inode;
}

bool known_inode(std::uint64_t inode) {
  return g_inode_capacity != 0 && *inode_slot(inode) == inode;
}

// By number. An epoll set is internal while all that was ever added to it is.
enum Mark : std::uint8_t { kNone, kCounter, kEpollInternal, kEpollExternal };
constexpr int kMarks = 65536;
Mark g_marks[kMarks];
bool g_marked;

Mark mark_of(int fd) { return fd >= 0 && fd < kMarks ? g_marks[fd] : kNone; }
void set_mark(int fd, Mark mark) {
  if (fd < 0 || fd >= kMarks) return;
  g_marks[fd] = mark;
  g_marked |= mark != kNone;
}

void remember(int fd) {
  struct stat info{};
  if (outside_syscall(SYS_fstat, fd, as_arg(&info)) == 0) remember_inode(info.st_ino);
}

}  // namespace

Descriptor describe(int fd) {
  Descriptor d{};
  struct stat info{};
  if (outside_syscall(SYS_fstat, fd, as_arg(&info)) != 0) return d;
  d.open = true;
  switch (info.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK:
      d.file = true;
      return d;
    case S_IFIFO:
      d.pipe = true;
      d.internal = known_inode(info.st_ino);
      break;
    case S_IFSOCK:
      d.socket = true;
      d.internal = known_inode(info.st_ino);
      break;
    case S_IFCHR:
      d.random = info.st_rdev == makedev(1, 8) || info.st_rdev == makedev(1, 9);
      break;
    default:  // anonymous inodes
      d.counter = mark_of(fd) == kCounter;
      d.internal = d.counter || mark_of(fd) == kEpollInternal;
      break;
  }
  d.nonblocking = (outside_syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK) != 0;
  return d;
}

namespace {

void forget_marks() {
  if (!g_marked) return;
  for (Mark& mark : g_marks) mark = kNone;
  g_marked = false;
}
RADDLE_FORGETS(forget_marks)

}  // namespace

bool is_internal(int fd) { return describe(fd).internal; }

Object& descriptor_object(int fd, std::uint64_t site) {
  return object_at(ObjectClass::descriptor, reinterpret_cast<void*>(std::intptr_t(fd) + 1), site);
}

void share_descriptors() {
  for (std::size_t i = 0; i < g_inode_capacity; ++i) g_inodes[i] = 0;
  g_inode_count = 0;
  for (Mark& mark : g_marks) {
    if (mark == kCounter) mark = kNone;
    if (mark == kEpollInternal) mark = kEpollExternal;
  }
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int pipe2(int* fds, int flags) noexcept {
  int result = RADDLE_REAL(pipe2)(fds, flags);
  if (result == 0 && g_active) remember(fds[0]);
  return result;
}

RADDLE_EXPORT int pipe(int* fds) noexcept { return pipe2(fds, 0); }

RADDLE_EXPORT int socketpair(int domain, int type, int protocol, int* fds) noexcept {
  int result = RADDLE_REAL(socketpair)(domain, type, protocol, fds);
  if (result == 0 && g_active) {
    remember(fds[0]);
    remember(fds[1]);
  }
  return result;
}

RADDLE_EXPORT int eventfd(unsigned count, int flags) noexcept {
  int fd = RADDLE_REAL(eventfd)(count, flags);
  if (g_active) set_mark(fd, kCounter);
  return fd;
}

RADDLE_EXPORT int epoll_create1(int flags) noexcept {
  int fd = RADDLE_REAL(epoll_create1)(flags);
  if (g_active) set_mark(fd, kEpollInternal);
  return fd;
}

RADDLE_EXPORT int epoll_create(int size) noexcept {
  int fd = RADDLE_REAL(epoll_create)(size);
  if (g_active) set_mark(fd, kEpollInternal);
  return fd;
}

RADDLE_EXPORT int epoll_ctl(int set, int operation, int fd, epoll_event* event) noexcept {
  int result = RADDLE_REAL(epoll_ctl)(set, operation, fd, event);
  if (result != 0 || !g_active) return result;
  if (operation != EPOLL_CTL_DEL && mark_of(set) == kEpollInternal && !is_internal(fd))
    set_mark(set, kEpollExternal);
  outside_changed();
  return result;
}

RADDLE_EXPORT int dup(int fd) noexcept {
  int copy = RADDLE_REAL(dup)(fd);
  if (g_active) set_mark(copy, mark_of(fd));
  return copy;
}

namespace {

// Both may close what `to` was, which others can see.
int replace(int from, int to, int flags, bool any_flags, std::uint64_t site) {
  decide(OpKind::close, &descriptor_object(to, site), site);
  long result =
      any_flags ? outside_syscall(SYS_dup3, from, to, flags) : outside_syscall(SYS_dup2, from, to);
  if (result >= 0 && from != to) set_mark(to, mark_of(from));
  outside_changed();
  return int(with_errno(result));
}

}  // namespace

RADDLE_EXPORT int dup2(int from, int to) noexcept {
  if (!controlled()) return RADDLE_REAL(dup2)(from, to);
  RuntimeScope scope;
  return replace(from, to, 0, false, RADDLE_SITE);
}

RADDLE_EXPORT int dup3(int from, int to, int flags) noexcept {
  if (!controlled()) return RADDLE_REAL(dup3)(from, to, flags);
  RuntimeScope scope;
  return replace(from, to, flags, true, RADDLE_SITE);
}

RADDLE_EXPORT int close(int fd) {
  if (!controlled()) return RADDLE_REAL(close)(fd);
  RuntimeScope scope;
  announce(OpKind::close, fd, RADDLE_SITE);
  long result = outside_syscall(SYS_close, fd);
  set_mark(fd, kNone);
  outside_changed();
  return int(with_errno(result));
}

RADDLE_EXPORT int __close(int fd) { return close(fd); }
