// A failing execution in the program's own words: what the printers print. Plain data, no addresses
// that a symbol could replace. describe() makes it; text.cpp and json.cpp only lay it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/process/execution.hpp"
#include "host/symbols/frame.hpp"

namespace raddle {

class Symbolizer;

struct StepLine {
  std::uint64_t step = 0;
  std::string what;   // "lock mutex #1 `account.m_'", "wait on condition variable #2 (timed out)"
  Where where;        // innermost frame of the program
  std::string brief;  // `what` for a narrow column: "lock account.m_"
};

struct ThreadLine {
  std::uint16_t id = 0;
  std::string name;      // pthread_setname_np, else the start routine's function, "main" for 0
  std::string doing;     // "waits to lock mutex #2 `b', held by T1", "was running", "ended"
  bool blocked = false;  // it waits
  bool ended = false;    // gone by now, shown for its last steps
  std::vector<Frame> stack;
  std::vector<StepLine> last_steps;  // oldest first
};

struct Failure {
  OutcomeKind kind = OutcomeKind::kNone;
  std::string headline;  // one sentence: "assertion `balance_ >= 0' failed in Account::withdraw"
  Where where;           // the place by which failures are grouped
  std::uint16_t thread = 0;
  std::vector<std::string>
      cycle;  // deadlock: one line per edge, "T1 holds mutex #1 `a' and waits for ..."
  std::vector<ThreadLine> threads;   // the failing one first, those that ended last
  std::vector<std::string> misuses;  // "T2 unlocked mutex #1, which T1 holds (file.cpp:12)"
  std::string group;                 // same group = same finding: kind and place
};

Failure describe(const Execution& execution, Symbolizer& symbols);

}  // namespace raddle
