#include "target/sched/outside.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "target/base/base.hpp"
#include "target/base/forgetting.hpp"
#include "target/base/kernel_state.hpp"
#include "target/sched/clock.hpp"
#include "target/state/attention.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"

namespace raddle {
namespace {

RADDLE_FORGOTTEN Thread* g_first;
RADDLE_FORGOTTEN std::uint32_t g_polled;
RADDLE_FORGOTTEN std::uint32_t g_external;
RADDLE_FORGOTTEN std::uint32_t g_signal_waits;  // external too, but not counted above
RADDLE_FORGOTTEN std::uint32_t g_fd_count;
bool g_undescribed;  // some wait has no descriptor to sleep on: look again often

std::uint32_t g_other_kernel_threads;

RADDLE_FORGOTTEN pollfd* g_fds;
RADDLE_FORGOTTEN std::uint32_t g_fds_capacity;

// How long to sleep at most when something is awaited that poll() cannot tell.
constexpr std::uint64_t kLookAgain = 1'000'000;

void count_external(const Thread& thread, int by) {
  if (!thread.external) return;
  std::uint32_t& count = thread.pending.op == OpKind::signal_wait ? g_signal_waits : g_external;
  count += std::uint32_t(by);
}

pollfd* gather() {
  if (g_fd_count > g_fds_capacity) {
    g_fds_capacity = g_fd_count * 2;
    g_fds = static_cast<pollfd*>(arena_allocate(g_fds_capacity * sizeof(pollfd)));
  }
  std::uint32_t n = 0;
  g_undescribed = false;
  for (Thread* t = g_first; t != nullptr; t = t->polled_next) {
    if (t->fd_count == 0) g_undescribed = true;
    for (std::uint32_t i = 0; i < t->fd_count; ++i) g_fds[n++] = t->fds[i];
  }
  return g_fds;
}

bool is_empty_file(const char* path) {
  long fd = raw_syscall(SYS_openat, AT_FDCWD, as_arg(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  char byte;
  bool empty = raw_syscall(SYS_read, fd, as_arg(&byte), 1) <= 0;
  raw_syscall(SYS_close, fd);
  return empty;
}

// The link count of /proc/self/task is 2 and one for each thread.
std::uint32_t kernel_threads() {
  struct stat info{};
  long error = raw_syscall(SYS_newfstatat, AT_FDCWD, as_arg("/proc/self/task"), as_arg(&info), 0);
  return error < 0 ? 0 : std::uint32_t(info.st_nlink) - 2;
}

std::uint32_t own_kernel_threads() {
  if (plan().carrier == CarrierKind::kFiber) return 1 + g_other_kernel_threads;
  // The main kernel thread stays when the program's main thread has ended; and one that ends now is
  // still here, looking for whom to hand the token to.
  const Thread& main = thread_by_id(kMainThread);
  std::uint32_t ending = self().finished && &self() != &main ? 1 : 0;
  return live_threads() + (main.finished ? 1 : 0) + ending;
}

// A signal wakes the sleep if at least one thread would take it.
std::uint64_t common_mask() {
  std::uint64_t mask = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    if (!thread.finished) mask &= thread.mask;
  }
  return mask;
}

}  // namespace

void add_polled(Thread& thread) {
  thread.polled_prev = nullptr;
  thread.polled_next = g_first;
  if (g_first != nullptr) g_first->polled_prev = &thread;
  g_first = &thread;
  ++g_polled;
  g_attention.polled = true;
  count_external(thread, 1);
  g_fd_count += thread.fd_count;
}

void remove_polled(Thread& thread) {
  (thread.polled_prev != nullptr ? thread.polled_prev->polled_next : g_first) = thread.polled_next;
  if (thread.polled_next != nullptr) thread.polled_next->polled_prev = thread.polled_prev;
  --g_polled;
  g_attention.polled = g_polled > 0;
  count_external(thread, -1);
  g_fd_count -= thread.fd_count;
}

void count_other_kernel_threads() { g_other_kernel_threads = kernel_threads() - 1; }

bool any_polled() { return g_polled > 0; }
// A thread that waits for a signal may be woken by anybody, so that is no deadlock; but nobody is
// expected to do it at a certain time, so it does not make the others' sleeps last as long as real
// ones.
bool any_external() {
  return g_external > 0 || (g_signal_waits > 0 && earliest_deadline() == nullptr);
}

std::uint64_t real_now() {
  timespec now{};
  outside_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, as_arg(&now));
  return std::uint64_t(now.tv_sec) * 1'000'000'000 + std::uint64_t(now.tv_nsec);
}

std::uint64_t sleep_outside(std::uint64_t nanoseconds) {
  pollfd* fds = gather();
  if (g_undescribed && nanoseconds > kLookAgain) nanoseconds = kLookAgain;
  timespec time{time_t(nanoseconds / 1'000'000'000), long(nanoseconds % 1'000'000'000)};
  std::uint64_t mask = common_mask();
  std::uint64_t before = real_now();
  g_region->live.state.store(RunState::kWaiting, std::memory_order_relaxed);
  outside_syscall(SYS_ppoll, as_arg(fds), g_fd_count, as_arg(&time), as_arg(&mask), sizeof(mask));
  g_region->live.state.store(RunState::kRunning, std::memory_order_relaxed);
  return real_now() - before;
}

bool something_unseen_may_happen() {
  itimerval timer{};
  raw_syscall(SYS_getitimer, ITIMER_REAL, as_arg(&timer));
  bool armed = timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
  return armed || !is_empty_file("/proc/self/timers") || kernel_threads() > own_kernel_threads();
}

void for_each_polled(void (*evaluate)(Thread&)) {
  for (Thread* t = g_first; t != nullptr;) {
    Thread* next = t->polled_next;
    evaluate(*t);
    t = next;
  }
}

}  // namespace raddle
