#include "host/report/words/causal_words.hpp"

#include <fmt/format.h>

#include "host/base/printable.hpp"
#include "host/report/words/object_words.hpp"
#include "protocol/ops.hpp"

namespace raddle {
namespace {

const char* action_text(causal::ActionKind kind) {
  using causal::ActionKind;
  switch (kind) {
    case ActionKind::kNothing:
      return "a step without effect";
    case ActionKind::kRead:
      return "a read";
    case ActionKind::kWrite:
      return "a write";
    case ActionKind::kUpdate:
      return "a read-modify-write";
    case ActionKind::kEnter:
      return "the look at a once flag";
    case ActionKind::kPass:
      return "the way past a barrier";
    case ActionKind::kLock:
      return "a lock";
    case ActionKind::kTryLock:
      return "a trylock";
    case ActionKind::kShare:
      return "a read-lock";
    case ActionKind::kTryShare:
      return "a try-read-lock";
    case ActionKind::kUnlock:
      return "an unlock";
    case ActionKind::kWait:
      return "a wait";
    case ActionKind::kWake:
      return "a wake-up";
    case ActionKind::kSignal:
      return "a signal";
    case ActionKind::kBroadcast:
      return "a broadcast";
    case ActionKind::kPost:
      return "a sem_post";
    case ActionKind::kDown:
      return "a sem_wait";
    case ActionKind::kTryDown:
      return "a sem_trywait";
    case ActionKind::kCreate:
      return "the creation of a thread";
    case ActionKind::kJoin:
      return "a join";
    case ActionKind::kEnd:
      return "its end";
    case ActionKind::kExit:
      return "the end of the process";
  }
  return "something else";
}

std::string event_text(const causal::Event& event) {
  std::string text = action_text(event.action.kind);
  if (event.action.size > 0)
    text += fmt::format(" of {} bytes at {:#x}", event.action.size, event.action.address);
  if (event.written.empty()) return text;
  text += " of";
  for (const char byte : event.written)
    text += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string step_text(const StepRecord& record) {
  return record.thread == kNoThread
             ? "no step, for the execution had ended"
             : fmt::format("a step of thread {} ({})", raw(record.thread), op_text(record.op));
}

}  // namespace

std::string library_calls_text(const std::vector<std::string>& calls) {
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < calls.size() && i < kShown; ++i)
    names += (i == 0 ? "" : ", ") + printable(calls[i]);
  if (calls.size() > kShown) names += fmt::format(" and {} more", calls.size() - kShown);
  return fmt::format("what {} of the C and C++ libraries may read by {} ({})",
                     calls.size() == 1 ? "a function" : fmt::format("{} functions", calls.size()),
                     calls.size() == 1 ? "itself" : "themselves", names);
}

std::string problem_text(const CausalProblem& problem) {
  const auto who = [&] {
    return fmt::format("{}, step {}", thread_label(problem.thread), problem.step);
  };
  switch (problem.kind) {
    case CausalProblem::kNone:
      return "";
    case CausalProblem::kUncontrolled:
      return "The program has threads that were made with clone(), which nobody controls: what "
             "they do, and when, is not known.";
    case CausalProblem::kUnknownOperation:
      return fmt::format(
          "The causal model does not have this operation: {} ({}). `raddle explore --strategy "
          "dpor` covers such programs.",
          op_text(problem.op), who());
    case CausalProblem::kNoValues:
      return fmt::format("Nobody knows what this operation found: {} ({}).", op_text(problem.op),
                         who());
    case CausalProblem::kManyPlaces:
      return fmt::format(
          "One operation touches several places of memory that threads share, and which values it "
          "finds there is not known: {} ({}). `raddle explore --strategy dpor` covers such "
          "programs.",
          op_text(problem.op), who());
    case CausalProblem::kMovedMemory:
      return fmt::format(
          "Threads share memory that does not lie at the same place in all executions ({}): "
          "several "
          "threads create threads, an execution allocates a GB or more, or what it allocated lives "
          "on in the next. `raddle explore --strategy dpor` covers such programs.",
          who());
    case CausalProblem::kUnseenWrite:
      return fmt::format(
          "A thread read what no access that was seen had written ({}): a library function, the "
          "kernel or code without hooks writes to memory that threads share. `raddle explore "
          "--strategy dpor` covers such programs.",
          who());
    case CausalProblem::kContradiction:
      return fmt::format(
          "After the same history a thread did two different things ({}): {} before, now {}. What "
          "it "
          "does depends on something that was not seen: addresses of the heap, time, what library "
          "functions read by themselves. `raddle explore --strategy dpor` covers such programs.",
          who(), event_text(problem.difference.known), event_text(problem.difference.came));
    case CausalProblem::kNotFollowed:
      return fmt::format(
          "The model calls a schedule feasible, and the program did not follow it: at step {} it "
          "expects a step of thread {}, and there was {}. The program depends on something that "
          "was "
          "not seen (files, time, earlier executions), or that is a defect of Raddle.",
          problem.step, raw(problem.wanted.thread), step_text(problem.came));
  }
  return "";
}

}  // namespace raddle
