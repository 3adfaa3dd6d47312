// What an execution did outside Raddle's control, as far as the runtime notices, and what it left
// to the clock: written by the target into the shared region, read by the host when the execution
// has ended.
#pragma once

#include <atomic>
#include <cstdint>

namespace raddle {

inline constexpr std::uint32_t kNamedChildren = 8;
inline constexpr std::uint32_t kCommandBytes = 120;

struct Uncontrolled {
  // Processes that the program started, and the command lines of the first ones, cut to size. A
  // child that never calls exec has an empty one: it is a copy of the program.
  std::atomic<std::uint32_t> children;
  char child[kNamedChildren][kCommandBytes];
  // The command line by which the program replaced itself; empty if it did not.
  char replacement[kCommandBytes];
  // Threads that the program made with clone() rather than pthread_create().
  std::atomic<std::uint32_t> clones;
  // Sleeps and waits with a time-out that took as long as they say (ClockKind::kSteady): how they
  // interleave with the rest was not up to the strategy.
  std::atomic<std::uint32_t> timed_waits;
  // Such waits that ended at nearly the same moment: another order of steps before may change which
  // one is first.
  std::atomic<std::uint32_t> close_waits;
  // Timers of the kernel's that the program set (timerfd, setitimer, timer_create): they end in
  // real time.
  std::atomic<std::uint32_t> kernel_timers;
  // The first thing that an execution at the same time would want, too: a file that the program
  // writes, a port that it binds. "it binds port 8080", cut to size; empty: there is none.
  char outside[kCommandBytes];
};

}  // namespace raddle
