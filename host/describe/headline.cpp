#include "host/describe/headline.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>

#include "host/base/printable.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

namespace {

constexpr std::uint64_t kFirstPage = 4096;

std::string in_function(const Where& where) {
  return where.function.empty() ? std::string() : " in " + where.function;
}

std::string with_text(const std::string& start, const std::string& text) {
  return text.empty() ? start : start + ": " + text;
}

std::string signal_words(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic error (SIGFPE)";
    case SIGILL:
      return "illegal instruction";
    case SIGTRAP:
      return "trap (SIGTRAP)";
    case SIGABRT:
      return "abort() called";
    case SIGSYS:
      return "forbidden system call (SIGSYS)";
    case SIGKILL:
      return "killed (SIGKILL)";
    default:
      return fmt::format("ended by signal {} ({})", signal,
                         sigabbrev_np(signal) != nullptr ? sigabbrev_np(signal) : "unknown");
  }
}

std::string crash(const Execution& execution, const HeadlineFacts& facts) {
  const Where& where = facts.where;
  int signal = execution.report ? execution.report->signal : 0;
  if (signal == 0 && WIFSIGNALED(execution.wait_status)) signal = WTERMSIG(execution.wait_status);
  std::string text = signal_words(signal);
  // Where on the stack it overflowed says nothing, and differs between carriers.
  const bool overflow = signal == SIGSEGV && facts.recursion;
  if (execution.report && (signal == SIGSEGV || signal == SIGBUS) && !overflow) {
    const std::uint64_t address = execution.report->fault_address;
    text += fmt::format(" at address {:#x}", address);
    if (address == 0) text += " (null pointer)";
    if (address != 0 && address < kFirstPage) text += " (null pointer plus an offset)";
  }
  text += in_function(where);
  if (overflow) text += ", deep in a recursion: probably a stack overflow";
  return text;
}

std::string assertion(const Report* report, const Where& where) {
  const std::string text = report == nullptr ? std::string() : printable_field(report->message);
  const bool has_place = report != nullptr && (report->file[0] != '\0' || report->line != 0);
  if (has_place && !text.empty()) {
    return fmt::format("assertion `{}' failed{}", text, in_function(where));
  }
  const bool says_more = !text.empty() && text.rfind("abort", 0) != 0;
  return with_text("abort() called" + in_function(where), says_more ? text : std::string());
}

std::string exception(const Report* report, const Where& where) {
  if (report == nullptr) return "uncaught exception";
  const std::string type = type_name(printable_field(report->exception_type));
  const std::string start = type.empty() ? "uncaught exception" : "uncaught exception " + type;
  return with_text(start + in_function(where), printable_field(report->message));
}

std::string exit_status(const Execution& execution, const Where& where) {
  int status = execution.report ? execution.report->exit_status : 0;
  if (status == 0 && WIFEXITED(execution.wait_status)) status = WEXITSTATUS(execution.wait_status);
  // Returning from main leaves no frame of the program on the stack.
  if (where.function == "__libc_start_call_main")
    return fmt::format("exit status {} from main", status);
  return fmt::format("exit status {}{}", status, in_function(where));
}

std::string deadlock(const HeadlineFacts& facts, const Wording& wording) {
  if (facts.cycle.size() == 1) {
    return fmt::format("{} waits for itself: it {}", thread_label(facts.cycle[0]->id),
                       wording.blocked(*facts.cycle[0]));
  }
  if (facts.cycle.size() > 1) {
    std::string text = fmt::format("{} threads wait for each other", facts.cycle.size());
    if (facts.cycle.size() > 3) return text;
    for (std::size_t i = 0; i < facts.cycle.size(); ++i) {
      const ThreadReport& thread = *facts.cycle[i];
      text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", thread_label(thread.id),
                          wording.waits(thread, false));
    }
    return text;
  }
  if (facts.waiting.size() == 1) {
    return fmt::format("{} {} and nobody is left to wake it", thread_label(facts.waiting[0]->id),
                       wording.waits(*facts.waiting[0], false));
  }
  if (facts.waiting.empty()) return "no thread can move";
  return fmt::format("{} threads wait and nobody is left to wake them", facts.waiting.size());
}

std::string divergence(const Report* report, const Wording& wording) {
  if (report == nullptr) return "the replay diverged";
  const auto side = [&](const StepRecord& record) {
    if (record.op == OpKind::none) return std::string("the end of the recording");
    return thread_label(record.thread) + " " + wording.step(record, report->diverged_step);
  };
  return with_text(fmt::format("the replay diverged at step {}: recorded was {}, now it is {}",
                               report->diverged_step, side(report->recorded), side(report->actual)),
                   printable_field(report->message));
}

}  // namespace

std::string headline(const Execution& execution, const HeadlineFacts& facts,
                     const Wording& wording) {
  const Report* report = execution.report.get();
  std::string message = report == nullptr ? std::string() : printable_field(report->message);
  switch (execution.kind) {
    case OutcomeKind::kNone:
      return "passed";
    case OutcomeKind::kAssertion:
      return assertion(report, facts.where);
    case OutcomeKind::kCrash:
      return crash(execution, facts);
    case OutcomeKind::kException:
      return exception(report, facts.where);
    case OutcomeKind::kExit:
      return exit_status(execution, facts.where);
    case OutcomeKind::kDeadlock:
      return deadlock(facts, wording);
    case OutcomeKind::kLivelock:
      return with_text("livelock: threads move, but only to yield or spin", message);
    case OutcomeKind::kLeaked:
      return report == nullptr
                 ? std::string("a thread still ran when the function returned")
                 : fmt::format("the function returned while {} still ran; join it before",
                               thread_label(report->thread));
    case OutcomeKind::kLimit:
      if (!message.empty()) return message;
      return fmt::format("limit reached after {} steps", execution.steps);
    case OutcomeKind::kInconclusive:
      return with_text("inconclusive", message);
    case OutcomeKind::kDiverged:
      return divergence(report, wording);
  }
  return with_text("unknown outcome", message);
}

}  // namespace raddle
