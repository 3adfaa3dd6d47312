#include "host/process/outcome.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>

#include "host/process/host_region.hpp"

namespace raddle {
namespace {

bool passes(int status, std::span<const int> ok_exit) {
  return status == 0 || std::find(ok_exit.begin(), ok_exit.end(), status) != ok_exit.end();
}

void set_message(Report& report, std::string_view text) {
  const std::size_t n = std::min(text.size(), sizeof report.message - 1);
  std::memcpy(report.message, text.data(), n);
  report.message[n] = 0;
}

std::string time_limit_text(Clock::duration limit) {
  return fmt::format("time limit of {} reached; --timeout raises it",
                     duration_text(std::chrono::duration<double>(limit).count()));
}

void decide_by_status(Execution& execution, std::span<const int> ok_exit) {
  const int status = execution.wait_status;
  if (WIFSIGNALED(status)) {
    set_outcome(execution, OutcomeKind::kCrash,
                fmt::format("ended by {}", signal_text(WTERMSIG(status))));
    execution.report->signal = WTERMSIG(status);
  } else if (!passes(WEXITSTATUS(status), ok_exit)) {
    set_outcome(execution, OutcomeKind::kExit, fmt::format("exit status {}", WEXITSTATUS(status)));
    execution.report->exit_status = WEXITSTATUS(status);
  } else {
    execution.kind = OutcomeKind::kNone;
  }
}

}  // namespace

void set_outcome(Execution& execution, OutcomeKind kind, std::string_view message) {
  if (execution.report == nullptr) execution.report = empty_report();
  execution.kind = kind;
  execution.report->kind = kind;
  set_message(*execution.report, message);
}

void decide_outcome(Execution& execution, const EndFacts& facts) {
  const OutcomeKind said =
      execution.report != nullptr ? execution.report->kind : OutcomeKind::kNone;
  if (said == OutcomeKind::kExit && passes(execution.report->exit_status, facts.ok_exit)) {
    execution.kind = OutcomeKind::kNone;
  } else if (said != OutcomeKind::kNone) {
    execution.kind = said;
    // The runtime knows the thread; what that thread sleeps in only the kernel says.
    if (said == OutcomeKind::kLimit && facts.gave_up == GiveUp::kTimeLimit) {
      set_message(*execution.report, time_limit_text(facts.timeout));
    } else if (said == OutcomeKind::kInconclusive && !facts.blocked_in.empty()) {
      set_message(*execution.report,
                  fmt::format("{} (blocked in {})", execution.report->message, facts.blocked_in));
    }
  } else if (facts.interrupted) {
    set_outcome(execution, OutcomeKind::kInconclusive, "interrupted");
  } else if (facts.gave_up == GiveUp::kTimeLimit) {
    set_outcome(execution, OutcomeKind::kLimit, time_limit_text(facts.timeout));
  } else if (facts.gave_up == GiveUp::kBlockedInKernel) {
    set_outcome(execution, OutcomeKind::kInconclusive,
                fmt::format("a thread blocked outside Raddle's control, in {}", facts.blocked_in));
  } else if (facts.server_gone) {
    set_outcome(execution, OutcomeKind::kInconclusive,
                "the process that starts the executions was killed, perhaps by the program");
  } else if (execution.ended_by_host) {
    set_outcome(execution, OutcomeKind::kInconclusive,
                "the program did not end after its report and was killed");
  } else {
    decide_by_status(execution, facts.ok_exit);
  }
}

bool is_failing(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kAssertion:
    case OutcomeKind::kCrash:
    case OutcomeKind::kException:
    case OutcomeKind::kExit:
    case OutcomeKind::kDeadlock:
    case OutcomeKind::kLivelock:
    case OutcomeKind::kLeaked:
    case OutcomeKind::kMemoryFault:
      return true;
    case OutcomeKind::kNone:
    case OutcomeKind::kLimit:
    case OutcomeKind::kInconclusive:
    case OutcomeKind::kPossibleHang:
    case OutcomeKind::kDiverged:
      return false;
  }
  return false;
}

std::string signal_text(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string wait_status_text(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", signal_text(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return fmt::format("{:.3g} h", seconds / 3600);
}

}  // namespace raddle
