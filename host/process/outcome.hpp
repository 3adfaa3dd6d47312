// How an execution ended, from the three who know a part of it: the runtime's report, the wait
// status, and the host's own watch.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/process/execution.hpp"
#include "host/process/watch.hpp"

namespace raddle {

struct EndFacts {
  bool server_gone = false;  // the fork server ended with, or instead of, the execution
  bool interrupted = false;  // the user asked to stop
  GiveUp gave_up = GiveUp::kNo;
  std::string blocked_in;
  Clock::duration timeout{};
  std::span<const int> ok_exit;
};

// Sets `kind`, and a report with a message where the runtime wrote none. The report's word counts
// first; the host's own reasons come next; the wait status decides the rest.
void decide_outcome(Execution& execution, const EndFacts& facts);

// Gives the execution this outcome and message, whatever it had.
void set_outcome(Execution& execution, OutcomeKind kind, std::string_view message);

// A failure of the program, as opposed to passed, a limit, inconclusive or diverged.
bool is_failing(OutcomeKind kind);

// "exit status 3", "signal SIGSEGV".
std::string wait_status_text(int status);

// "SIGSEGV"; "signal 63" where there is no name.
std::string signal_text(int signal);

// "30 s", "250 ms", "2 min": the unit that a person would use.
std::string duration_text(double seconds);

}  // namespace raddle
