#include "host/report/words/headline.hpp"

#include <fmt/format.h>

#include "host/describe/failure_key.hpp"
#include "host/report/words/object_words.hpp"
#include "host/report/words/step_words.hpp"
#include "host/symbols/place.hpp"
#include "protocol/fault_address.hpp"
#include "protocol/freed_word.hpp"

namespace raddle {
namespace {

std::string with_text(const std::string& start, const std::string& text) {
  return text.empty() ? start : start + ": " + text;
}

// `in` is " in Account::withdraw", or empty.
std::string crash(const Verdict& verdict, const std::string& in) {
  std::string text = crash_signal_text(verdict.signal);
  if (verdict.fault_address) {
    const std::uint64_t address = *verdict.fault_address;
    if (address == kUnknownFaultAddress)
      return text + " at an address that no memory can have" + in;
    text += fmt::format(" at address {:#x}", address);
    if (address == 0) text += " (null pointer)";
    if (address != 0 && is_by_null(address)) text += " (null pointer plus an offset)";
    if (is_from_freed(address)) text += " (what freed memory holds)";
  }
  text += in;
  return verdict.deep_recursion ? text + ", deep in a recursion: probably a stack overflow" : text;
}

std::string assertion(const Verdict& verdict, const std::string& in) {
  if (verdict.is_condition) return fmt::format("assertion `{}' failed{}", verdict.message, in);
  return with_text("abort() called" + in, verdict.message);
}

std::string exception(const Verdict& verdict, const std::string& in) {
  const std::string& type = verdict.exception_type;
  const std::string start = type.empty() ? "uncaught exception" : "uncaught exception " + type;
  return with_text(start + in, verdict.message);
}

std::string exit_status(const Verdict& verdict, const std::string& in) {
  if (verdict.must_return) {
    return fmt::format("exit({}) was called: the function must return", verdict.exit_status);
  }
  return fmt::format("exit status {}{}", verdict.exit_status,
                     verdict.from_main ? " from main" : in);
}

std::string deadlock(const Verdict& verdict) {
  const std::vector<WaitingThread>& cycle = verdict.cycle;
  const std::vector<WaitingThread>& waiting = verdict.waiting;
  if (cycle.size() == 1) {
    return fmt::format("{} waits for itself: it {}", thread_label(cycle[0].thread),
                       doing_words(cycle[0].doing));
  }
  if (cycle.size() > 1) {
    std::string text = fmt::format("{} threads wait for each other", cycle.size());
    if (cycle.size() > 3) {
      std::vector<ThreadId> threads;
      for (const WaitingThread& one : cycle) threads.push_back(one.thread);
      return text + ": " + thread_labels(threads);
    }
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", thread_label(cycle[i].thread),
                          waits_words(cycle[i].doing));
    }
    return text;
  }
  if (waiting.size() == 1) {
    return fmt::format("{} {} and nobody is left to wake it", thread_label(waiting[0].thread),
                       waits_words(waiting[0].doing));
  }
  if (waiting.empty()) return "no thread can move";
  constexpr std::size_t kTold = 4;  // what each waits for; of more threads, who they are
  std::string who;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    who += (i == 0 ? "" : ", ") + thread_label(waiting[i].thread);
    if (waiting.size() <= kTold) who += " " + waits_words(waiting[i].doing);
  }
  return fmt::format("{} threads wait and nobody is left to wake them: {}", waiting.size(), who);
}

std::string place_words(const Where& where) {
  return where.line == 0 ? std::string()
                         : fmt::format(" ({}:{})", base_name(where.file), where.line);
}

// "T1", "T1 and T2", "T1, T2 and 3 more".
std::string threads_words(const std::vector<ThreadId>& threads) {
  constexpr std::size_t kShown = 2;
  std::string text;
  for (std::size_t i = 0; i < threads.size() && i < kShown; ++i) {
    const char* joint = threads.size() > kShown ? ", " : " and ";
    text += fmt::format("{}{}", i == 0 ? "" : joint, thread_label(threads[i]));
  }
  if (threads.size() > kShown) text += fmt::format(" and {} more", threads.size() - kShown);
  return text;
}

std::string possible_hang(const Verdict& verdict, std::optional<std::uint64_t> since) {
  constexpr std::size_t kShown = 3;
  std::string text = "looks like a hang: ";
  // Names without numbers, which differ between schedules: the same hang reads the same each time.
  const std::vector<WaitingThread>& waiting = verdict.waiting;
  for (std::size_t i = 0; i < waiting.size() && i < kShown; ++i) {
    text += fmt::format("{}{} {}{}", i == 0 ? "" : ", ", thread_label(waiting[i].thread),
                        brief_waits_words(waiting[i].doing), place_words(waiting[i].where));
  }
  if (waiting.empty()) text += "threads wait without a time-out";
  if (waiting.size() > kShown) text += fmt::format(", and {} more", waiting.size() - kShown);
  if (since) text += fmt::format(", since step {}", *since);
  const bool one = verdict.ticking.size() == 1;
  const std::string who =
      verdict.ticking.empty() ? "other threads" : threads_words(verdict.ticking);
  return text + fmt::format("; only {} {}, and {} again and again without waking {}", who,
                            one ? "runs" : "run", one ? "sleeps and wakes" : "sleep and wake",
                            waiting.size() == 1 ? "it" : "them");
}

std::string divergence(const Verdict& verdict) {
  if (!verdict.divergence) return "the replay diverged";
  const auto side = [](ThreadId thread, const StepLine& step) {
    if (step.op == OpKind::none) return std::string("the end of the recording");
    return thread_label(thread) + " " + step_words(step);
  };
  const Divergence& found = *verdict.divergence;
  return with_text(fmt::format("the replay diverged at step {}: recorded was {}, now it is {}",
                               found.recorded.step, side(found.recorded_thread, found.recorded),
                               side(found.actual_thread, found.actual)),
                   verdict.message);
}

// "reads 4 bytes"; a call that uses a mutex, ... has no number.
std::string access_words(const MemoryFaultLine& fault) {
  if (fault.bytes == 0) return "uses an object";
  return fmt::format("{} {} {}", fault.writes ? "writes" : "reads", fault.bytes,
                     fault.bytes == 1 ? "byte" : "bytes");
}

// The bytes behind a block are freed with it: nobody had them.
std::string freed_words(const std::string& access, const std::string& block,
                        const MemoryFaultLine& fault) {
  const std::int64_t behind = fault.offset - static_cast<std::int64_t>(fault.block);
  if (behind < 0) return fmt::format("{} of {} that was freed", access, block);
  if (behind == 0) return fmt::format("{} right behind {} that was freed", access, block);
  return fmt::format("{}, {} behind {} that was freed", access, behind, block);
}

std::string fault_words(const MemoryFaultLine& fault) {
  const std::string access = access_words(fault);
  const std::string block = fmt::format("a block of {} bytes", fault.block);
  switch (fault.kind) {
    case MemoryFaultKind::kUseAfterFree:
      return freed_words(access, block, fault);
    case MemoryFaultKind::kBeforeBlock:
      return fmt::format("{}, {} before {}", access, 0 - static_cast<std::uint64_t>(fault.offset),
                         block);
    case MemoryFaultKind::kBehindBlock: {
      const auto beyond =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(fault.offset) - fault.block);
      return beyond <= 0 ? fmt::format("{} beyond the end of {}", access, block)
                         : fmt::format("{}, {} beyond the end of {}", access, beyond, block);
    }
    case MemoryFaultKind::kGoneLocal:
      return fmt::format("{} of a local variable that is gone", access);
    case MemoryFaultKind::kDoubleFree:
      return fmt::format("frees {} that was freed", block);
    case MemoryFaultKind::kNoSuchBlock:
      return "frees what is not the beginning of a block";
    case MemoryFaultKind::kOverwritten:
      return fmt::format("frees {}, and something has written to the bytes before it", block);
    case MemoryFaultKind::kNoBlock:
    case MemoryFaultKind::kNone:
      break;
  }
  return access + " where no block is";
}

std::string memory_fault(const Verdict& verdict, const std::string& in) {
  if (!verdict.fault) return "memory fault" + in;
  const MemoryFaultLine& fault = *verdict.fault;
  std::string text = fmt::format("memory fault{}: {}", in, fault_words(fault));
  if (!fault.allocated.function.empty())
    text += fmt::format("; allocated{}", place_words(fault.allocated));
  if (fault.kind == MemoryFaultKind::kGoneLocal) {
    if (!fault.freed.function.empty())
      text += fmt::format("; {} left its scope{}", thread_label(fault.freed_by),
                          place_words(fault.freed));
    return text;
  }
  if (!fault.freed.function.empty())
    text += fmt::format(", freed by {}{}", thread_label(fault.freed_by), place_words(fault.freed));
  return text;
}

std::string sentence(const Verdict& verdict, const std::string& in,
                     std::optional<std::uint64_t> waits_since) {
  switch (verdict.kind) {
    case OutcomeKind::kNone:
      return "passed";
    case OutcomeKind::kAssertion:
      return assertion(verdict, in);
    case OutcomeKind::kCrash:
      return crash(verdict, in);
    case OutcomeKind::kException:
      return exception(verdict, in);
    case OutcomeKind::kExit:
      return exit_status(verdict, in);
    case OutcomeKind::kDeadlock:
      return deadlock(verdict);
    case OutcomeKind::kLivelock:
      return with_text("livelock: threads move, but only to yield or spin", verdict.message);
    case OutcomeKind::kLeaked:
      return verdict.leaked
                 ? fmt::format("the function returned while {} still ran; join it before",
                               thread_label(*verdict.leaked))
                 : "a thread still ran when the function returned";
    case OutcomeKind::kLimit:
      if (!verdict.message.empty()) return verdict.message;
      return fmt::format("limit reached after {} steps", verdict.steps);
    case OutcomeKind::kInconclusive:
      return with_text("inconclusive", verdict.message);
    case OutcomeKind::kPossibleHang:
      return possible_hang(verdict, waits_since);
    case OutcomeKind::kDiverged:
      return divergence(verdict);
    case OutcomeKind::kMemoryFault:
      return memory_fault(verdict, in);
  }
  return with_text("unknown outcome", verdict.message);
}

}  // namespace

std::string headline(const Failure& failure, InFunction function) {
  if (!failure.verdict) return {};
  const bool said = function == InFunction::kSaid && !failure.where.function.empty();
  return sentence(*failure.verdict, said ? " in " + failure.where.function : std::string(),
                  failure.waits_since);
}

std::string headline(const Verdict& verdict) { return sentence(verdict, {}, {}); }

}  // namespace raddle
