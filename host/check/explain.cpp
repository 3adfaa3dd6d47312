#include "host/check/explain.hpp"

#include <fmt/format.h>

#include "host/base/proc_file.hpp"
#include "host/check/framework_frames.hpp"
#include "host/describe/failure.hpp"
#include "host/process/outcome.hpp"
#include "host/report/text.hpp"
#include "host/report/words/headline.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {
namespace {

// How the test binary was called, without its arguments.
std::string program() {
  const std::string line = read_proc_file("/proc/self/cmdline");
  return line.substr(0, line.find('\0'));
}

// Messages of the runtime are in the words of the command line.
void reword(Execution& execution, const ExecutionLimits& limits) {
  if (execution.kind != OutcomeKind::kLimit) return;
  const bool steps = execution.steps >= limits.max_steps;
  set_outcome(execution, execution.kind,
              steps ? fmt::format("the execution took more than {} steps (Options::max_steps)",
                                  limits.max_steps)
                    : fmt::format("the execution took longer than {} (Options::timeout)",
                                  duration_text(limits.timeout.count())));
}

// In the words of a test, and without the framework's own code.
Failure describe_for_test(Execution& execution, const InProcessRunner& runner,
                          Symbolizer& symbols) {
  reword(execution, runner.limits());
  drop_framework_frames(execution, symbols);
  Failure failure = describe(execution, symbols);
  for (ThreadLine& thread : failure.threads) {
    std::erase_if(thread.stack,
                  [](const Frame& frame) { return is_framework_function(frame.where.function); });
  }
  if (execution.kind == OutcomeKind::kExit) {
    failure.verdict->must_return = true;
    failure.verdict->exit_status = execution.report->exit_status;
  }
  return failure;
}

std::string left_behind(const InProcessRunner& runner) {
  const unsigned threads = runner.abandoned();
  if (threads == 0) return {};
  return fmt::format(
      "  note     {} left where {} stood: stacks, and what is on them, stay allocated\n",
      threads == 1 ? "1 thread was" : fmt::format("{} threads were", threads),
      threads == 1 ? "it" : "they");
}

// The report says where two executions parted.
std::string difference_text(const Execution& execution, Symbolizer& symbols) {
  return fmt::format(
      "the function does not do the same each time: one execution, run twice with the same "
      "choices, differs.\nWhat earlier executions left behind (a global, a static variable, memory "
      "that was not freed, a file), or time\ndecides; or addresses of the heap do, if the program "
      "brings an allocator of its own.\n{}\n",
      headline(describe(execution, symbols)));
}

}  // namespace

std::string footer(const FailureFacts& facts) {
  return fmt::format("\n  {}\n  again    RADDLE_REPLAY={} {}{}{}\n", facts.which, facts.replay,
                     program(), facts.arguments.empty() ? "" : " ", facts.arguments);
}

std::string explain_failure(InProcessRunner& runner, const FailureFacts& facts) {
  Symbolizer symbols;
  Execution first = runner.execution();
  Failure failure = describe_for_test(first, runner, symbols);
  const std::string left = left_behind(runner);
  std::string note;
  Execution again = runner.again_in_child(first);
  const bool same = again.kind == first.kind && again.log_hash == first.log_hash;
  Failure second = describe_for_test(again, runner, symbols);
  if (same) {
    failure = std::move(second);
  } else {
    note = fmt::format(
        "  note     run once more it {}: what earlier executions left behind makes a difference\n",
        again.kind == OutcomeKind::kNone ? "passed" : "ended differently, " + headline(second));
  }
  return failure_text(failure, {}) + footer(facts) + note + left;
}

std::string explain_difference(InProcessRunner& runner, std::span<const StepRecord> first,
                               const FailureFacts& facts) {
  Symbolizer symbols;
  Execution execution = runner.execution();
  const std::vector<StepRecord>& now = execution.log;
  std::size_t step = 0;
  while (step < first.size() && step < now.size() && same_step(first[step], now[step])) ++step;
  set_outcome(execution, OutcomeKind::kDiverged, "");
  Report& report = *execution.report;
  const StepRecord end{kNoThread, OpKind::none, 0, kNoObject, 0};
  report.diverged_step = step;
  report.recorded = step < first.size() ? first[step] : end;
  report.actual = step < now.size() ? now[step] : end;
  return difference_text(execution, symbols) + footer(facts);
}

std::string explain_divergence(InProcessRunner& runner, const FailureFacts& facts) {
  Symbolizer symbols;
  Execution execution = runner.execution();
  set_outcome(execution, OutcomeKind::kDiverged, "");
  return difference_text(execution, symbols) + footer(facts);
}

}  // namespace raddle
