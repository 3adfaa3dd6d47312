#include "host/process/watch.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "host/base/proc_file.hpp"

namespace raddle {
namespace {

// The host itself did not run for this long (suspended, or stopped with Ctrl-Z): what it measured
// across the gap says nothing about the program.
constexpr std::chrono::seconds kHostGap{1};

struct TaskStat {
  char state;
  std::uint64_t cpu;  // user and system time, in clock ticks
};

std::optional<TaskStat> task_stat(pid_t pid, pid_t tid) {
  const std::string text = read_proc_file(fmt::format("/proc/{}/task/{}/stat", pid, tid));
  // The command name is in parentheses and may itself contain any character.
  const std::size_t paren = text.rfind(')');
  if (paren == std::string::npos) return std::nullopt;
  TaskStat stat{};
  unsigned long user = 0;
  unsigned long system = 0;
  if (std::sscanf(text.c_str() + paren + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                  &stat.state, &user, &system) != 3) {
    return std::nullopt;
  }
  stat.cpu = user + system;
  return stat;
}

// The calls that really block; any other is shown by its number.
const char* syscall_name(long number) {
  switch (number) {
    case SYS_read:
      return "read";
    case SYS_write:
      return "write";
    case SYS_readv:
      return "readv";
    case SYS_writev:
      return "writev";
    case SYS_futex:
      return "futex";
    case SYS_ppoll:
      return "ppoll";
    case SYS_pselect6:
      return "pselect6";
    case SYS_epoll_pwait:
      return "epoll_pwait";
    case SYS_accept:
      return "accept";
    case SYS_accept4:
      return "accept4";
    case SYS_connect:
      return "connect";
    case SYS_recvfrom:
      return "recvfrom";
    case SYS_recvmsg:
      return "recvmsg";
    case SYS_sendto:
      return "sendto";
    case SYS_sendmsg:
      return "sendmsg";
    case SYS_nanosleep:
      return "nanosleep";
    case SYS_clock_nanosleep:
      return "clock_nanosleep";
    case SYS_wait4:
      return "wait4";
    case SYS_waitid:
      return "waitid";
    case SYS_rt_sigsuspend:
      return "rt_sigsuspend";
    case SYS_rt_sigtimedwait:
      return "rt_sigtimedwait";
    case SYS_flock:
      return "flock";
    case SYS_fcntl:
      return "fcntl";
    case SYS_openat:
      return "openat";
    case SYS_semop:
      return "semop";
    case SYS_semtimedop:
      return "semtimedop";
    case SYS_msgrcv:
      return "msgrcv";
    case SYS_msgsnd:
      return "msgsnd";
    case SYS_mq_timedreceive:
      return "mq_timedreceive";
    case SYS_mq_timedsend:
      return "mq_timedsend";
    case SYS_io_getevents:
      return "io_getevents";
    case SYS_splice:
      return "splice";
    case SYS_sendfile:
      return "sendfile";
#ifdef SYS_poll
    case SYS_poll:
      return "poll";
    case SYS_select:
      return "select";
    case SYS_epoll_wait:
      return "epoll_wait";
    case SYS_pause:
      return "pause";
    case SYS_open:
      return "open";
#endif
  }
  return nullptr;
}

std::string describe_block(pid_t pid, pid_t tid) {
  const std::string call = read_proc_file(fmt::format("/proc/{}/task/{}/syscall", pid, tid));
  const std::string wchan = read_proc_file(fmt::format("/proc/{}/task/{}/wchan", pid, tid));
  std::string text = "an unknown system call";
  char* end = nullptr;
  const long number = std::strtol(call.c_str(), &end, 10);
  if (end != call.c_str() && number >= 0) {
    const char* name = syscall_name(number);
    text = name != nullptr ? fmt::format("the system call {}()", name)
                           : fmt::format("system call number {}", number);
  }
  if (!wchan.empty() && wchan != "0") text += fmt::format(" (kernel function {})", wchan);
  return text;
}

}  // namespace

Watch::Watch(Live& live, Clock::duration timeout, bool may_give_up)
    : live_(live),
      timeout_(timeout),
      may_give_up_(may_give_up),
      begin_(Clock::now()),
      last_tick_(begin_),
      idle_since_(begin_) {}

void Watch::reported(Clock::time_point now) { kill_at_ = std::min(kill_at_, now + 2 * kGrace); }

void Watch::give_up(GiveUp why, Clock::time_point now) {
  gave_up_ = why;
  kill_at_ = std::min(kill_at_, now + kGrace);
  live_.give_up.store(static_cast<std::uint32_t>(why), std::memory_order_release);
}

bool Watch::tick(Clock::time_point now) {
  const bool gap = now - last_tick_ > kHostGap;
  if (gap) {
    begin_ += now - last_tick_;
    idle_since_ = now;
  }
  last_tick_ = now;
  if (now >= kill_at_) return true;
  if (gave_up_ == GiveUp::kNo && timeout_ != Clock::duration::zero() && now - begin_ >= timeout_) {
    give_up(GiveUp::kTimeLimit, now);
  }
  if (pid_ != 0) look_at_thread(now);
  return false;
}

void Watch::look_at_thread(Clock::time_point now) {
  const std::uint64_t steps = live_.steps.load(std::memory_order_relaxed);
  const RunState state = live_.state.load(std::memory_order_acquire);
  const pid_t tid = live_.kernel_tid.load(std::memory_order_relaxed);
  const auto sample = [&] {
    if (tid != 0) syscall(SYS_tgkill, pid_, tid, kSampleSignal);
  };
  if (state == RunState::kReporting || state == RunState::kReplaced) return;
  // The handler ends the execution, whatever the thread does.
  if (gave_up_ != GiveUp::kNo) return sample();

  if (steps != last_steps_ || state != last_state_ || state == RunState::kWaiting) {
    last_steps_ = steps;
    last_state_ = state;
    idle_since_ = now;
    return;
  }
  const std::optional<TaskStat> stat = task_stat(pid_, tid != 0 ? tid : pid_);
  if (!stat) return;
  const bool asleep = stat->state == 'S' || stat->state == 'D';
  if (!asleep || stat->cpu != last_cpu_) {
    last_cpu_ = stat->cpu;
    idle_since_ = now;
  }
  if (stat->state == 'R' && state == RunState::kRunning) sample();
  if (may_give_up_ && asleep && now - idle_since_ >= kBlockedLimit) {
    blocked_in_ = describe_block(pid_, tid != 0 ? tid : pid_);
    give_up(GiveUp::kBlockedInKernel, now);
    sample();
  }
}

void Watch::kill_process(bool whole_group) const {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  if (whole_group) kill(-pid_, SIGKILL);
}

}  // namespace raddle
