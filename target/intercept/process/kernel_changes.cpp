// Calls that change what the kernel holds for the process, beyond memory and descriptors. They do
// what they always do; but a process that is put back after an execution (target/snapshot/) must
// know of them.
#include <dlfcn.h>
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/fsuid.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "target/base/base.hpp"
#include "target/base/kernel_state.hpp"
#include "target/state/execution.hpp"
#include "target/state/uncontrolled.hpp"

using namespace raddle;

namespace {

void changes(const char* what) {
  if (g_active) note_kernel_change(what);
}

}  // namespace

// result name(parameters), called with arguments: `what` is a sentence about the program.
#define RADDLE_NOTED(result, name, parameters, arguments, what) \
  RADDLE_EXPORT result name parameters noexcept {               \
    changes(what);                                              \
    return RADDLE_REAL(name) arguments;                         \
  }

// Likewise, for what ends in real time: who comes first is then a matter of how long things take.
#define RADDLE_TIMER(result, name, parameters, arguments) \
  RADDLE_EXPORT result name parameters noexcept {         \
    changes(kTimer);                                      \
    if (g_active) note_kernel_timer();                    \
    return RADDLE_REAL(name) arguments;                   \
  }

constexpr char kFolder[] = "it changes its working directory";
constexpr char kTimer[] = "it sets a timer";
constexpr char kLimit[] = "it changes a limit of its resources";
constexpr char kUser[] = "it changes its user or group";
constexpr char kGroup[] = "it leaves its process group";
constexpr char kPriority[] = "it changes how the kernel schedules it";
constexpr char kLocked[] = "it locks its memory";
constexpr char kKeys[] = "it uses keys for its memory (pkey_alloc)";

RADDLE_NOTED(int, chdir, (const char* path), (path), kFolder)
RADDLE_NOTED(int, fchdir, (int fd), (fd), kFolder)
RADDLE_NOTED(int, chroot, (const char* path), (path), kFolder)
RADDLE_NOTED(mode_t, umask, (mode_t mask), (mask), "it changes its file mode mask")
RADDLE_TIMER(int, setitimer, (__itimer_which_t which, const itimerval* value, itimerval* old),
             (which, value, old))
RADDLE_TIMER(unsigned, alarm, (unsigned seconds), (seconds))
RADDLE_TIMER(useconds_t, ualarm, (useconds_t value, useconds_t interval), (value, interval))
RADDLE_TIMER(int, timer_settime,
             (timer_t timer, int flags, const itimerspec* value, itimerspec* old),
             (timer, flags, value, old))
RADDLE_TIMER(int, timerfd_settime, (int fd, int flags, const itimerspec* value, itimerspec* old),
             (fd, flags, value, old))
RADDLE_NOTED(int, setrlimit, (__rlimit_resource_t resource, const rlimit* limit), (resource, limit),
             kLimit)
RADDLE_NOTED(int, setrlimit64, (__rlimit_resource_t resource, const rlimit64* limit),
             (resource, limit), kLimit)
RADDLE_NOTED(int, setuid, (uid_t user), (user), kUser)
RADDLE_NOTED(int, setgid, (gid_t group), (group), kUser)
RADDLE_NOTED(int, seteuid, (uid_t user), (user), kUser)
RADDLE_NOTED(int, setegid, (gid_t group), (group), kUser)
RADDLE_NOTED(int, setreuid, (uid_t real, uid_t effective), (real, effective), kUser)
RADDLE_NOTED(int, setregid, (gid_t real, gid_t effective), (real, effective), kUser)
RADDLE_NOTED(int, setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved),
             kUser)
RADDLE_NOTED(int, setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved),
             kUser)
RADDLE_NOTED(int, setgroups, (std::size_t count, const gid_t* groups), (count, groups), kUser)
RADDLE_NOTED(pid_t, setsid, (), (), kGroup)
RADDLE_NOTED(int, setpgid, (pid_t process, pid_t group), (process, group), kGroup)
RADDLE_NOTED(int, setpgrp, (), (), kGroup)
RADDLE_NOTED(int, unshare, (int flags), (flags), "it enters a namespace of its own")
RADDLE_NOTED(int, setns, (int fd, int kind), (fd, kind), "it enters another namespace")
RADDLE_NOTED(int, nice, (int increment), (increment), kPriority)
RADDLE_NOTED(int, setpriority, (__priority_which_t which, id_t who, int priority),
             (which, who, priority), kPriority)
RADDLE_NOTED(int, sched_setscheduler, (pid_t process, int policy, const sched_param* parameters),
             (process, policy, parameters), kPriority)
RADDLE_NOTED(int, sched_setparam, (pid_t process, const sched_param* parameters),
             (process, parameters), kPriority)
RADDLE_NOTED(int, mlockall, (int flags), (flags), kLocked)
RADDLE_NOTED(int, mlock, (const void* memory, std::size_t size), (memory, size), kLocked)
RADDLE_NOTED(int, mlock2, (const void* memory, std::size_t size, unsigned flags),
             (memory, size, flags), kLocked)
RADDLE_NOTED(int, pkey_alloc, (unsigned flags, unsigned rights), (flags, rights), kKeys)
RADDLE_NOTED(int, pkey_mprotect, (void* memory, std::size_t size, int protection, int key),
             (memory, size, protection, key), kKeys)
RADDLE_NOTED(int, setfsuid, (uid_t user), (user), kUser)
RADDLE_NOTED(int, setfsgid, (gid_t group), (group), kUser)
RADDLE_NOTED(int, personality, (unsigned long persona), (persona), "it changes its personality")
RADDLE_NOTED(int, ioperm, (unsigned long from, unsigned long count, int on), (from, count, on),
             "it takes ports")
RADDLE_NOTED(int, iopl, (int level), (level), "it takes ports")

namespace {

// Undone when the process ends.
bool has_undo(const sembuf* operations, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if ((operations[i].sem_flg & SEM_UNDO) != 0) return true;
  return false;
}
constexpr char kUndo[] = "it uses System V semaphores that are undone when it ends";

}  // namespace

RADDLE_EXPORT int semop(int set, sembuf* operations, std::size_t count) noexcept {
  if (has_undo(operations, count)) changes(kUndo);
  return RADDLE_REAL(semop)(set, operations, count);
}

RADDLE_EXPORT int semtimedop(int set, sembuf* operations, std::size_t count,
                             const timespec* timeout) noexcept {
  if (has_undo(operations, count)) changes(kUndo);
  return RADDLE_REAL(semtimedop)(set, operations, count, timeout);
}

RADDLE_EXPORT int initgroups(const char* user, gid_t group) {
  changes(kUser);
  return RADDLE_REAL(initgroups)(user, group);
}

RADDLE_EXPORT int prlimit(pid_t process, __rlimit_resource resource, const rlimit* limit,
                          rlimit* old) noexcept {
  if (limit != nullptr) changes(kLimit);
  return RADDLE_REAL(prlimit)(process, resource, limit, old);
}

RADDLE_EXPORT int prlimit64(pid_t process, __rlimit_resource resource, const rlimit64* limit,
                            rlimit64* old) noexcept {
  if (limit != nullptr) changes(kLimit);
  return RADDLE_REAL(prlimit64)(process, resource, limit, old);
}

// It unmaps what may have been there at the start; what dlopen() maps shows in the sum.
RADDLE_EXPORT int dlclose(void* library) noexcept {
  g_mappings_changed = true;
  return RADDLE_REAL(dlclose)(library);
}

RADDLE_EXPORT int mprotect(void* memory, std::size_t size, int protection) noexcept {
  g_mappings_changed = true;
  return RADDLE_REAL(mprotect)(memory, size, protection);
}

RADDLE_EXPORT void* mmap(void* memory, std::size_t size, int protection, int flags, int fd,
                         off_t offset) noexcept {
  g_mappings_changed = true;
  return RADDLE_REAL(mmap)(memory, size, protection, flags, fd, offset);
}

RADDLE_EXPORT void* mmap64(void* memory, std::size_t size, int protection, int flags, int fd,
                           off64_t offset) noexcept {
  g_mappings_changed = true;
  return RADDLE_REAL(mmap64)(memory, size, protection, flags, fd, offset);
}

RADDLE_EXPORT void* mremap(void* memory, std::size_t size, std::size_t new_size, int flags,
                           ...) noexcept {
  va_list list;
  va_start(list, flags);
  void* where = va_arg(list, void*);
  va_end(list);
  g_mappings_changed = true;
  return RADDLE_REAL(mremap)(memory, size, new_size, flags, where);
}
