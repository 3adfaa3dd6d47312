// Watches one execution from outside, so that none can hang the host.
//
// While the count of steps moves, the runtime is in control and nothing is done. When it stands
// still:
//   - a thread that burns CPU gets kSampleSignal every tick; the runtime looks at where it is and
//     preempts it if it spins in the program's own code;
//   - a thread that sleeps in the kernel, although the runtime believes that it runs, called
//   something
//     that the runtime does not know. After kBlockedLimit the execution is given up as
//     inconclusive.
// A process that has become another program is left alone. The time limit ends an execution in any
// state. Giving up is a request first, so that the runtime
// can write its report, and a kill after kGrace.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "protocol/shared_region.hpp"

namespace raddle {

using Clock = std::chrono::steady_clock;

inline constexpr std::chrono::milliseconds kTick{5};
inline constexpr std::chrono::seconds kBlockedLimit{5};
inline constexpr std::chrono::seconds kGrace{1};

class Watch {
 public:
  // `timeout` zero: no limit. Without `may_give_up` a blocked thread is left alone as well:
  // somebody looks at it in a debugger.
  Watch(Live& live, Clock::duration timeout, bool may_give_up = true);

  // The process that runs the execution; ticks before this only look at the time.
  void started(pid_t pid) { pid_ = pid; }

  // The report was read; the process has kGrace from now on to end.
  void reported(Clock::time_point now);

  // Call about every kTick. True: kill the process now (asked once more at each later tick).
  bool tick(Clock::time_point now);

  // Kills the process, if it was started; with `whole_group` whatever it left in its process group,
  // too. The worker calls it when tick() says so, and when the user interrupts.
  void kill_process(bool whole_group) const;

  GiveUp gave_up() const { return gave_up_; }
  // What the thread was blocked in, in words; empty unless gave_up() is kBlockedInKernel.
  const std::string& blocked_in() const { return blocked_in_; }

 private:
  void give_up(GiveUp why, Clock::time_point now);
  void look_at_thread(Clock::time_point now);

  Live& live_;
  const Clock::duration timeout_;
  const bool may_give_up_;
  pid_t pid_ = 0;
  Clock::time_point begin_;
  Clock::time_point last_tick_;
  Clock::time_point idle_since_;  // last time that steps, state or CPU time moved
  Clock::time_point kill_at_ = Clock::time_point::max();
  std::uint64_t last_steps_ = ~0ULL;
  RunState last_state_ = RunState::kStarting;
  std::uint64_t last_cpu_ = 0;
  GiveUp gave_up_ = GiveUp::kNo;
  std::string blocked_in_;
};

}  // namespace raddle
