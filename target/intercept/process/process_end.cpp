// exit, abort, assert: how a process ends by its own will.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/base/forgetting.hpp"
#include "target/intercept/process/process.hpp"
#include "target/outcome/enabled_log.hpp"
#include "target/outcome/exception.hpp"
#include "target/outcome/home.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"
#include "target/snapshot/snapshot.hpp"

namespace raddle {
namespace {

RADDLE_FORGOTTEN bool g_exiting;  // exit() runs handlers, and these may call exit() again
std::uint64_t g_steps_at_exit;

std::uint64_t steps_made() { return g_region->live.steps.load(std::memory_order_relaxed); }

}  // namespace

void process_exits(int status) {
  if (!controlled() || g_exiting) return;
  RuntimeScope scope;
  g_exiting = true;
  decide(OpKind::process_exit, nullptr, 0);
  g_steps_at_exit = steps_made();
  log_end(false);
  // A function that is checked has no business ending the process, whatever the status.
  if ((status & 0xff) == 0 && !g_in_process) return;
  g_region->report.exit_status = status & 0xff;
  publish(OutcomeKind::kExit, self(), "");
  return_home();
}

void process_ends() {
  if (!controlled() || !g_exiting || steps_made() == g_steps_at_exit) return;
  RuntimeScope scope;
  if (live_threads() > 1) decide(OpKind::process_exit, nullptr, 0);
  log_end(false);
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT void exit(int status) {
  process_exits(status);
  RADDLE_REAL(exit)(status);
  __builtin_unreachable();
}

RADDLE_EXPORT void _exit(int status) {
  process_exits(status);
  RADDLE_REAL(_exit)(status);
  __builtin_unreachable();
}

RADDLE_EXPORT void _Exit(int status) {
  process_exits(status);
  RADDLE_REAL(_Exit)(status);
  __builtin_unreachable();
}

RADDLE_EXPORT void quick_exit(int status) {
  process_exits(status);
  RADDLE_REAL(quick_exit)(status);
  __builtin_unreachable();
}

RADDLE_EXPORT void abort() {
  if (controlled()) {
    RuntimeScope scope;
    if (already_reported()) return_home();
    Report& report = g_region->report;
    if (describe_exception(report)) {
      publish(OutcomeKind::kException, self(), report.message);
    } else if (report.kind != OutcomeKind::kAssertion) {
      publish(OutcomeKind::kAssertion, self(), "");  // without a condition
    }
    return_home();
    go_back_instead_of_ending(SIGABRT);
  }
  RADDLE_REAL(signal)(SIGABRT, SIG_DFL);  // without our own handler in between
  RADDLE_REAL(abort)();
  __builtin_unreachable();
}

namespace {

[[noreturn]] void assertion_failed(const char* text, const char* file, unsigned line,
                                   const char* function) {
  if (controlled()) {
    RuntimeScope scope;
    if (already_reported()) return_home();
    Report& report = g_region->report;
    copy_text(report.file, sizeof(report.file), file);
    copy_text(report.function, sizeof(report.function), function);
    report.line = line;
    publish(OutcomeKind::kAssertion, self(), text);
    return_home();
  }
  // The message that glibc prints, without its own stop in abort().
  fprintf(stderr, "%s%s%s:%u: %s%sAssertion `%s' failed.\n", program_invocation_short_name,
          program_invocation_short_name[0] != 0 ? ": " : "", file, line,
          function != nullptr ? function : "", function != nullptr ? ": " : "", text);
  fflush(nullptr);
  abort();
}

}  // namespace

RADDLE_EXPORT void __assert_fail(const char* assertion, const char* file, unsigned line,
                                 const char* function) noexcept {
  assertion_failed(assertion, file, line, function);
}

RADDLE_EXPORT void __assert(const char* assertion, const char* file, int line) noexcept {
  assertion_failed(assertion, file, unsigned(line), nullptr);
}

RADDLE_EXPORT void __assert_perror_fail(int error, const char* file, unsigned line,
                                        const char* function) noexcept {
  assertion_failed(strerrordesc_np(error), file, line, function);
}
