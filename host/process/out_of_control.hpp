// What executions did outside Raddle's control, or out of its sight: said once, at the end of a
// campaign (host/report/words/control/control_words.hpp). Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/uncontrolled.hpp"

namespace raddle {

struct OutOfControl {
  std::uint64_t children = 0;             // processes that the program started, the most at once
  std::vector<std::string> commands;      // command lines of these, each once, in order
  std::vector<std::string> replacements;  // by which the program replaced itself
  std::uint64_t clones = 0;               // threads made with clone(), the most in one execution

  // Sleeps and waits with a time-out that took as long as they say, the most in one execution. That
  // is no loss of control, but other timings were not tried.
  std::uint64_t timed_waits = 0;
  // Such that ended at nearly the same moment: that the other one is first was not tried.
  std::uint64_t close_waits = 0;
  // Timers of the kernel's, likewise: they end in real time.
  std::uint64_t kernel_timers = 0;

  // What an execution at the same time would want, too: a sentence, "it binds port 8080". Empty:
  // nothing was seen.
  std::string outside;

  // Why executions were forked although they were to be restored: a sentence about the program, "it
  // ...". Empty: they were not, or nobody wanted that. The executions are the same either way.
  std::string forked_because;

  // Which thread comes first may depend on how long something takes.
  bool goes_by_time() const { return timed_waits > 0 || kernel_timers > 0; }
  bool empty() const { return children == 0 && replacements.empty() && clones == 0; }
  // What another execution, or another worker, left out_of_control.
  void add(const OutOfControl& other);
};

// What one execution left in its region. The target is not trusted to have ended its strings.
OutOfControl out_of_control_in(const Uncontrolled& uncontrolled);

}  // namespace raddle
