#include "prevent/monitor/kernel_view.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace raddle::monitor {
namespace {

constexpr int kGone = -1;
constexpr int kUnreadable = -2;

int open_file(pid_t thread, const char* name) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/%s", int(thread), name);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) return file;
  return errno == ENOENT || errno == ESRCH ? kGone : kUnreadable;
}

// The number of bytes read, kGone or kUnreadable.
int read_file(int file, char* out, std::size_t size) {
  const ssize_t count = pread(file, out, size - 1, 0);
  if (count < 0) return errno == ESRCH ? kGone : kUnreadable;
  out[count] = 0;
  while (count > 0 && out[std::strlen(out) - 1] == '\n') out[std::strlen(out) - 1] = 0;
  return int(count);
}

int read_file(pid_t thread, const char* name, char* out, std::size_t size) {
  const int file = open_file(thread, name);
  if (file < 0) return file;
  const int count = read_file(file, out, size);
  close(file);
  return count;
}

// The letter of /proc/.../stat: R, S, D, ...; 0 if the thread is gone.
char state_of(pid_t thread) {
  char text[512];
  if (read_file(thread, "stat", text, sizeof(text)) < 0) return 0;
  const char* end = std::strrchr(text, ')');
  return end != nullptr && end[1] == ' ' ? end[2] : 0;
}

bool is_sleep(long call) {
#ifdef SYS_nanosleep
  if (call == SYS_nanosleep) return true;
#endif
  return call == SYS_clock_nanosleep;
}

bool read_word(std::uint64_t address, std::uint32_t& word) {
  iovec here{&word, sizeof(word)};
  // The kernel gives addresses as numbers.
  iovec there{reinterpret_cast<void*>(address), sizeof(word)};  // NOLINT(performance-no-int-to-ptr)
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == ssize_t(sizeof(word));
}

bool is_thread(std::uint32_t number) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%u", number);
  return number != 0 && number < (1U << 22) && access(path, F_OK) == 0;
}

// glibc's locks wait while their word is 2. A pthread_mutex_t has its owner's id two words further.
void look_at_lock(KernelView& view) {
  const std::uint64_t operation = view.arguments[1] & FUTEX_CMD_MASK;
  if ((operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) || view.arguments[2] != 2) return;
  std::uint32_t owner = 0;
  if (!read_word(view.arguments[0] + 8, owner)) return;
  if (is_thread(owner)) {
    view.owner = pid_t(owner);
  } else if (operation == FUTEX_WAIT) {
    view.short_lock = true;
  }
}

// pthread_join waits while the other's id is still there; the kernel clears it.
void look_at_join(KernelView& view) {
  if ((view.arguments[1] & FUTEX_PRIVATE_FLAG) == 0 && is_thread(std::uint32_t(view.arguments[2])))
    view.joins = pid_t(view.arguments[2]);
}

void classify_futex(KernelView& view) {
  const std::uint64_t operation = view.arguments[1] & FUTEX_CMD_MASK;
  const bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET ||
                     operation == FUTEX_LOCK_PI || operation == FUTEX_WAIT_REQUEUE_PI ||
                     operation == 13;  // FUTEX_LOCK_PI2
  if (!waits) return;
  view.activity = view.arguments[3] != 0 ? Activity::waits_long : Activity::waits;
  look_at_join(view);
  look_at_lock(view);
}

// Without the system call: only what the kernel calls the place, if it says that.
void classify_by_place(pid_t thread, KernelView& view) {
  char place[128];
  if (state_of(thread) != 'S' || read_file(thread, "wchan", place, sizeof(place)) <= 0) return;
  view.line = place;
  if (std::strstr(place, "futex") != nullptr) {
    view.activity = Activity::waits;
  } else if (std::strstr(place, "nanosleep") != nullptr) {
    view.activity = Activity::sleeps;
  } else if (std::strcmp(place, "0") != 0) {
    view.activity = Activity::outside;
  }
}

}  // namespace

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::int64_t processor_time(pid_t thread) {
  timespec time{};
  // The clock of a thread by its number, which glibc has for pthread_t alone.
  const auto clock = clockid_t(~unsigned(thread) << 3 | 6);
  if (syscall(SYS_clock_gettime, clock, &time) != 0) return -1;
  return std::int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void CallFile::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void CallFile::open(pid_t thread) {
  if (file_ < 0) file_ = open_file(thread, "syscall");
}

KernelView look_at(pid_t thread) { return CallFile().look_at(thread); }

KernelView CallFile::look_at(pid_t thread) {
  KernelView view;
  char line[256];
  open(thread);
  const int read = file_ < 0 ? file_ : read_file(file_, line, sizeof(line));
  if (read == kGone) {
    view.activity = Activity::gone;
    return view;
  }
  if (read <= 0) {
    classify_by_place(thread, view);
    return view;
  }
  view.line = line;
  if (line[0] == 'r') return view;  // "running"
  char* next = nullptr;
  view.call = std::strtol(line, &next, 10);
  for (std::uint64_t& argument : view.arguments) argument = std::strtoull(next, &next, 16);
  std::strtoull(next, &next, 16);  // the stack
  view.place = std::strtoull(next, &next, 16);
  if (view.call == SYS_futex) {
    classify_futex(view);
  } else if (is_sleep(view.call)) {
    view.activity = Activity::sleeps;
  } else if (view.call >= 0 && state_of(thread) == 'S') {
    view.activity = Activity::outside;
  }
  return view;
}

bool waits_across_processes(const KernelView& view) {
  if (view.call != SYS_futex || (view.arguments[1] & FUTEX_PRIVATE_FLAG) != 0 || view.joins != 0)
    return false;
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return true;
  bool shared = true;
  char line[512];
  while (std::fgets(line, sizeof(line), maps) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char rights[8] = "";
    if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3) continue;
    if (view.arguments[0] >= begin && view.arguments[0] < end) shared = rights[3] == 's';
  }
  std::fclose(maps);
  return shared;
}

}  // namespace raddle::monitor
