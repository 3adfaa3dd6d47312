// Functions that take a thread and ask the kernel about it. A fiber is no kernel thread, and what a
// kernel thread of ours is does not concern the program: both carriers answer from the same
// records. Priorities and affinities are remembered and change nothing, since one thread runs at a
// time.
#include "target/intercept/threads/thread_attributes.hpp"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/base/forgetting.hpp"
#include "target/base/kernel_state.hpp"
#include "target/sched/scheduler.hpp"
#include "target/stream/stream.hpp"

namespace raddle {
namespace {

constexpr std::size_t kNameSize = sizeof(Thread::name);
constexpr std::size_t kMaxThreads = 0x10000;

// What the program set, per thread; null for those where it set nothing.
struct Scheduling {
  int policy;
  int priority;
  bool pinned;
  cpu_set_t cpus;
};
RADDLE_FORGOTTEN Scheduling** g_scheduling;

Scheduling* find_scheduling(const Thread& thread) {
  return g_scheduling != nullptr ? g_scheduling[raw(thread.pending.thread)] : nullptr;
}

Scheduling& scheduling_of(const Thread& thread) {
  if (g_scheduling == nullptr) {
    g_scheduling = static_cast<Scheduling**>(arena_allocate(kMaxThreads * sizeof(Scheduling*)));
  }
  Scheduling*& entry = g_scheduling[raw(thread.pending.thread)];
  if (entry == nullptr) entry = arena_new<Scheduling>();
  return *entry;
}

// The name of a thread that has none is its creator's, as in the kernel; main is called as the
// program.
const char* name_of(const Thread& thread) {
  for (const Thread* t = &thread; t != nullptr; t = t->creator) {
    if (t->name[0] != 0) return t->name;
  }
  return program_invocation_short_name;
}

bool has_kernel_thread(const Thread& thread) {
  return (thread.pending.thread == kMainThread && !g_in_process) ||
         plan().carrier == CarrierKind::kKernel;
}

int set_name(Thread& thread, const char* name) {
  std::size_t size = strlen(name) + 1;
  if (size > kNameSize) return ERANGE;
  memcpy(thread.name, name, size);
  note_thread_name(thread.pending.thread, thread.name);
  // For debuggers and ps.
  if (has_kernel_thread(thread) && !thread.finished) {
    RADDLE_REAL(pthread_setname_np)(thread.handle, name);
  }
  return 0;
}

// Cut to what the kernel keeps.
void copy_name(char (&to)[kNameSize], const char* name) {
  std::size_t size = strnlen(name, kNameSize - 1);
  memcpy(to, name, size);
  to[size] = 0;
}

int set_priority(const Thread& thread, int policy, int priority) {
  int lowest = sched_get_priority_min(policy);
  if (lowest < 0 || priority < lowest || priority > sched_get_priority_max(policy)) return EINVAL;
  Scheduling& scheduling = scheduling_of(thread);
  scheduling.policy = policy;
  scheduling.priority = priority;
  return 0;
}

// Bytes that the kernel wrote, or a negative errno.
long kernel_affinity(std::size_t size, cpu_set_t* cpus) {
  return raw_syscall(SYS_sched_getaffinity, 0, long(size), as_arg(cpus));
}

int get_affinity(const Thread& thread, std::size_t size, cpu_set_t* cpus) {
  Scheduling* scheduling = find_scheduling(thread);
  if (scheduling == nullptr || !scheduling->pinned) {
    long bytes = kernel_affinity(size, cpus);
    if (bytes < 0) return int(-bytes);
    memset(reinterpret_cast<char*>(cpus) + bytes, 0, size - std::size_t(bytes));
    return 0;
  }
  std::size_t known = size < sizeof(cpu_set_t) ? size : sizeof(cpu_set_t);
  memset(cpus, 0, size);
  memcpy(cpus, &scheduling->cpus, known);
  return 0;
}

int set_affinity(const Thread& thread, std::size_t size, const cpu_set_t* cpus) {
  cpu_set_t allowed{};
  cpu_set_t wanted{};
  kernel_affinity(sizeof(allowed), &allowed);
  memcpy(&wanted, cpus, size < sizeof(wanted) ? size : sizeof(wanted));
  CPU_AND(&wanted, &wanted, &allowed);
  if (CPU_COUNT(&wanted) == 0) return EINVAL;
  Scheduling& scheduling = scheduling_of(thread);
  scheduling.pinned = true;
  scheduling.cpus = wanted;
  return 0;
}

}  // namespace

pid_t virtual_tid(const Thread& thread) {
  return g_region->live.pid.load(std::memory_order_relaxed) + raw(thread.pending.thread);
}

Thread* thread_of_tid(pid_t tid) {
  std::int64_t ordinal = std::int64_t(tid) - virtual_tid(thread_by_id(kMainThread));
  if (ordinal < 0 || ordinal >= std::int64_t(thread_count())) return nullptr;
  return &thread_by_id(ThreadId{std::uint16_t(ordinal)});
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT pid_t gettid() noexcept {
  return controlled() ? virtual_tid(self()) : RADDLE_REAL(gettid)();
}

RADDLE_EXPORT int sched_getcpu() noexcept { return controlled() ? 0 : RADDLE_REAL(sched_getcpu)(); }

RADDLE_EXPORT int getcpu(unsigned* cpu, unsigned* node) noexcept {
  if (!controlled()) return RADDLE_REAL(getcpu)(cpu, node);
  if (cpu != nullptr) *cpu = 0;
  if (node != nullptr) *node = 0;
  return 0;
}

RADDLE_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) noexcept {
  if (!controlled()) return RADDLE_REAL(pthread_getattr_np)(handle, attributes);
  RuntimeScope scope;
  Thread* thread = find_thread(handle);
  if (thread == nullptr) return RADDLE_REAL(pthread_getattr_np)(handle, attributes);
  if (has_kernel_thread(*thread)) {
    if (int error = RADDLE_REAL(pthread_getattr_np)(handle, attributes)) return error;
  } else {
    pthread_attr_init(attributes);
    pthread_attr_setstack(attributes, reinterpret_cast<void*>(thread->stack_low),
                          thread->stack_size);
    pthread_attr_setguardsize(attributes, thread->guard_size);
  }
  int state = thread->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE;
  return pthread_attr_setdetachstate(attributes, state);
}

RADDLE_EXPORT int pthread_setname_np(pthread_t handle, const char* name) noexcept {
  Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread == nullptr) return RADDLE_REAL(pthread_setname_np)(handle, name);
  RuntimeScope scope;
  return set_name(*thread, name);
}

RADDLE_EXPORT int pthread_getname_np(pthread_t handle, char* name, size_t size) noexcept {
  Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread == nullptr) return RADDLE_REAL(pthread_getname_np)(handle, name, size);
  if (size < kNameSize) return ERANGE;
  char text[kNameSize];
  copy_name(text, name_of(*thread));
  memcpy(name, text, kNameSize);
  return 0;
}

// The other way to name the calling thread.
RADDLE_EXPORT int prctl(int option, ...) noexcept {
  unsigned long a[4];
  va_list list;
  va_start(list, option);
  for (unsigned long& argument : a) argument = va_arg(list, unsigned long);
  va_end(list);
  if (controlled() && option == PR_SET_NAME) {
    RuntimeScope scope;
    char name[kNameSize];
    copy_name(name, reinterpret_cast<const char*>(a[0]));
    return set_name(self(), name);
  }
  if (controlled() && option == PR_GET_NAME) {
    char name[kNameSize];
    copy_name(name, name_of(self()));
    memcpy(reinterpret_cast<char*>(a[0]), name, kNameSize);
    return 0;
  }
  constexpr int kOnlyAsk[] = {PR_GET_DUMPABLE, PR_GET_KEEPCAPS,  PR_GET_SECCOMP,
                              PR_CAPBSET_READ, PR_GET_PDEATHSIG, PR_GET_NO_NEW_PRIVS};
  bool changes = true;
  for (const int asks : kOnlyAsk) changes &= option != asks;
  if (g_active && changes) note_kernel_change("it calls prctl()");
  return RADDLE_REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

RADDLE_EXPORT int pthread_setschedparam(pthread_t handle, int policy,
                                        const sched_param* parameters) noexcept {
  Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread == nullptr) return RADDLE_REAL(pthread_setschedparam)(handle, policy, parameters);
  RuntimeScope scope;
  return set_priority(*thread, policy, parameters->sched_priority);
}

RADDLE_EXPORT int pthread_setschedprio(pthread_t handle, int priority) noexcept {
  Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread == nullptr) return RADDLE_REAL(pthread_setschedprio)(handle, priority);
  RuntimeScope scope;
  Scheduling* scheduling = find_scheduling(*thread);
  return set_priority(*thread, scheduling != nullptr ? scheduling->policy : SCHED_OTHER, priority);
}

RADDLE_EXPORT int pthread_getschedparam(pthread_t handle, int* policy,
                                        sched_param* parameters) noexcept {
  Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread == nullptr) return RADDLE_REAL(pthread_getschedparam)(handle, policy, parameters);
  Scheduling* scheduling = find_scheduling(*thread);
  *policy = scheduling != nullptr ? scheduling->policy : SCHED_OTHER;
  parameters->sched_priority = scheduling != nullptr ? scheduling->priority : 0;
  return 0;
}

RADDLE_EXPORT int pthread_setaffinity_np(pthread_t handle, size_t size,
                                         const cpu_set_t* cpus) noexcept {
  Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread == nullptr) return RADDLE_REAL(pthread_setaffinity_np)(handle, size, cpus);
  RuntimeScope scope;
  return set_affinity(*thread, size, cpus);
}

RADDLE_EXPORT int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t* cpus) noexcept {
  Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread == nullptr) return RADDLE_REAL(pthread_getaffinity_np)(handle, size, cpus);
  RuntimeScope scope;
  return get_affinity(*thread, size, cpus);
}

// Threads by their ids. A virtual one must not reach the kernel, where it may be somebody else's.
RADDLE_EXPORT int sched_setaffinity(pid_t tid, size_t size, const cpu_set_t* cpus) noexcept {
  Thread* thread = !controlled() ? nullptr : tid == 0 ? &self() : thread_of_tid(tid);
  if (thread == nullptr) return RADDLE_REAL(sched_setaffinity)(tid, size, cpus);
  RuntimeScope scope;
  errno = set_affinity(*thread, size, cpus);
  return errno == 0 ? 0 : -1;
}

RADDLE_EXPORT int sched_getaffinity(pid_t tid, size_t size, cpu_set_t* cpus) noexcept {
  Thread* thread = !controlled() ? nullptr : tid == 0 ? &self() : thread_of_tid(tid);
  if (thread == nullptr) return RADDLE_REAL(sched_getaffinity)(tid, size, cpus);
  RuntimeScope scope;
  errno = get_affinity(*thread, size, cpus);
  return errno == 0 ? 0 : -1;
}

// All CPU clocks show the same virtual time, so one stands for all.
RADDLE_EXPORT int pthread_getcpuclockid(pthread_t handle, clockid_t* clock) noexcept {
  Thread* thread = controlled() ? find_thread(handle) : nullptr;
  if (thread == nullptr) return RADDLE_REAL(pthread_getcpuclockid)(handle, clock);
  if (thread->finished) return ESRCH;
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return 0;
}
