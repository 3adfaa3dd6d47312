#include <fmt/format.h>

#include <algorithm>

#include "host/base/printable.hpp"
#include "host/process/outcome.hpp"
#include "host/report/results/explore_report.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/causal_words.hpp"
#include "host/report/words/control/control_words.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShownNotes = 5;

std::string strategy_text(const ExploreReport& report) {
  if (!report.changes) return report.strategy;
  return fmt::format("capp {} over {}", report.changes->heuristic, report.changes->base);
}

std::string instrumented_text(const ExploreReport& report) {
  if (!report.instrumented) return "";
  if (report.racing_places == 0) return ", instrumented";
  return fmt::format(", instrumented, {}", counted(report.racing_places, "racing place"));
}

std::string first_line(const ExploreReport& report, const TextOptions& look) {
  const SearchCounts& counts = report.result.counts;
  const std::string name = bold(report.program, look);
  if (counts.executions == 0) return fmt::format("raddle: {}  no execution ended\n", name);
  if (counts.threads <= 1)
    return fmt::format("raddle: {}  1 thread only: nothing to schedule\n", name);
  return fmt::format("raddle: {}  {}, {} an execution, {}{}\n", name,
                     counted(counts.threads, "thread"),
                     counted(counts.steps / counts.executions, "decision point"),
                     strategy_text(report), instrumented_text(report));
}

std::string earlier_text(const ExploreReport& report) {
  std::string text;
  for (const EarlierFinding& finding : report.earlier) {
    text += fmt::format("\nFAILING, found before: {}\n   again    {} replay {}\n", finding.message,
                        tool_name(), shell_quoted(finding.replay));
  }
  return text;
}

std::string unfinished_text(const ExploreReport& report, const TextOptions& look) {
  if (report.unfinished.empty()) return {};
  std::string text = "\nNot executed to the end\n";
  const std::vector<NoteLine> notes = note_lines(report.unfinished);
  for (std::size_t i = 0; i < notes.size() && i < kShownNotes; ++i) {
    const NoteLine& note = notes[i];
    text += paragraph(fmt::format("{} x: {}", grouped(note.count), note.text),
                      static_cast<std::size_t>(look.width), 3);
  }
  return text;
}

// Of --delay-events: whether it can be done, and how.
std::string delays_text(const ExploreReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  const std::uint64_t failing = report.result.counts.failing;
  std::string text =
      "\n" + paragraph(bold(delay_sentence(*report.delays, failing), look), width, 0);
  for (const std::string& line : delay_lines(*report.delays)) text += paragraph(line, width, 3);
  if (enforceable(*report.delays) == Enforceable::kYes && !report.findings.empty())
    text += paragraph(
        fmt::format("As it is, with nothing held back, {} of {} that were tried fail: {} replay {}",
                    grouped(failing), counted(report.result.counts.executions, "execution"),
                    tool_name(), shell_quoted(report.findings.front().replay_path)),
        width, 0);
  return text;
}

std::string end_text(const ExploreReport& report) {
  switch (report.result.end) {
    case ExploreEnd::kExhausted:
    case ExploreEnd::kDiverged:
      return "";
    case ExploreEnd::kFailure:
      return " (stopped at the first failure; --keep-going goes on)";
    case ExploreEnd::kLimit:
      return " (--limit reached)";
    case ExploreEnd::kTime:
      return " (--time is over)";
    case ExploreEnd::kStopped:
      return " (interrupted)";
  }
  return "";
}

std::string summary(const ExploreReport& report) {
  const SearchCounts& counts = report.result.counts;
  std::string text;
  const std::size_t findings = report.findings.size() + report.earlier.size();
  const bool avoided = report.delays && enforceable(*report.delays) == Enforceable::kYes;
  if (avoided) {
    text = counted(counts.executions, "execution");
  } else if (counts.failing > 0) {
    text = fmt::format("{}: {} of {}", counted(findings, "failing finding"),
                       grouped(counts.failing), counted(counts.executions, "execution"));
  } else {
    // What turned out to be like another execution was left there.
    const std::uint64_t passed = counts.executions - counts.unfinished - counts.redundant;
    const bool found = !report.misuses.empty() || !report.earlier.empty();
    text = fmt::format("{}{} passed",
                       passed == 0 ? "No verdict: "
                       : found     ? "Nothing fails: "
                                   : "Nothing found: ",
                       counted(passed, "execution"));
  }
  if (counts.unfinished > 0)
    text += fmt::format(", {} not executed to the end", grouped(counts.unfinished));
  return text + fmt::format("{}; {}, {:.0f} a second.", end_text(report),
                            duration_text(report.result.seconds),
                            executions_per_second(report.result));
}

// The program has no hooks: its calls are all that is known of it.
bool shows_calls_only(const ExploreReport& report) {
  return !report.instrumented || is_unmodified(report.unseen);
}

// Which of the schedules "all" means, if the program sleeps or waits with a time-out.
const char* timing(const ExploreReport& report) {
  if (report.out_of_control.kernel_timers > 0) return " in which timers end when they did";
  if (report.out_of_control.close_waits > 0)
    return " in which sleeps and time-outs end in the order in which they did";
  return report.out_of_control.timed_waits > 0
             ? " in which sleeps and time-outs last as long as they say"
             : "";
}

bool synchronises_unseen(const ExploreReport& report) {
  return std::any_of(report.unseen.begin(), report.unseen.end(),
                     [](const UnseenCode& code) { return code.synchronises; });
}

// All of what was explored, of which one of each kind was executed. What the program does not show
// may depend on the order all the same: two kinds may be one for the steps that are seen.
const char* all_kinds(const ExploreReport& report) {
  if (shows_calls_only(report)) {
    return synchronises_unseen(report)
               ? "all orders of those synchronisation calls on the same object that are seen"
               : "all orders of synchronisation calls on the same object";
  }
  return report.unseen.empty() ? "all schedules"
                               : "all kinds of schedules that the steps seen tell apart";
}

// What "all" is all of: "all 6 schedules", "the only order of synchronisation calls".
std::string all_things(const ExploreReport& report, std::uint64_t count) {
  const char* thing = shows_calls_only(report) ? "order" : "schedule";
  std::string text =
      count == 1 ? fmt::format("the only {}", thing) : "all " + counted(count, thing);
  if (shows_calls_only(report)) {
    text += " of synchronisation calls";
    if (synchronises_unseen(report)) text += " that are seen";
  } else if (!report.unseen.empty()) {
    text += " of what was seen";
  }
  return text + timing(report);
}

// Why a causal exploration promises less than all behaviours; empty if it does not.
std::string causal_doubt(const ExploreReport& report) {
  const ExploreResult& result = report.result;
  if (result.causal->problem.kind != CausalProblem::kNone)
    return "the program does not fit the model";
  if (result.end != ExploreEnd::kExhausted) return "the exploration ended early";
  if (result.causal->unknown > 0) return "the solver gave up on some queries";
  if (result.counts.unfinished > 0) return "some executions did not end";
  if (result.causal->cut_short > 0)
    return "a failure ended an execution while another thread was about to look again";
  if (shows_calls_only(report)) return "";
  if (!report.unseen.empty() || !report.library_calls.empty())
    return "what a thread does may depend on what was not seen";
  return report.out_of_control.goes_by_time() ? "the program goes by time" : "";
}

// "all behaviours: 22 executions, 61 queries, 0 unknown".
std::string causal_coverage(const ExploreReport& report) {
  const ExploreResult& result = report.result;
  const std::string numbers = fmt::format(
      "{}, {} {}, {} unknown", counted(result.counts.executions, "execution"),
      grouped(result.causal->queries), result.causal->queries == 1 ? "query" : "queries",
      grouped(result.causal->unknown));
  const std::string doubt = causal_doubt(report);
  if (!doubt.empty()) return fmt::format("not complete: {}: {}", numbers, doubt);
  if (shows_calls_only(report))
    return fmt::format(
        "what locks, waits and signals allow if threads do the same whatever they read: {}",
        numbers);
  return fmt::format("all behaviours: {}", numbers);
}

}  // namespace

std::string not_covered_text(const ExploreReport& report) {
  std::string text = "other inputs; weaker memory orders than sequential consistency";
  if (report.result.causal) text += "; addresses that an allocator would use again";
  if (const std::string times = timing_words(report.out_of_control, "--clock adversarial");
      !times.empty())
    text += "; " + times;
  if (shows_calls_only(report))
    text +=
        "; orders of plain and atomic accesses, which this program does not show: build it with "
        "raddle-c++, or look further with raddle fuzz --decide all";
  else if (report.decide == DecideKind::kSync)
    text += "; orders of plain accesses, and of freeing what they access (--decide races or all)";
  else if (report.decide == DecideKind::kRaces)
    text +=
        "; orders of plain accesses, and of freeing memory and using it, that did not race in the "
        "executions recorded first (--decide all has all of them)";
  else if (report.result.causal)
    text += "; orders of freeing memory and using it";
  if (synchronises_unseen(report) && entry_of(report.order).reduces)
    text +=
        "; orders of the steps seen that matter to what was not seen alone (raddle explore "
        "--strategy dfs takes every one)";
  return text;
}

namespace {

std::string not_covered(const ExploreReport& report) {
  std::string unseen = unseen_text(report.unseen);
  if (!report.library_calls.empty())
    unseen += (unseen.empty() ? "" : "; ") + library_calls_text(report.library_calls);
  return fmt::format("Not covered: {}.{}", not_covered_text(report),
                     unseen.empty() ? "" : fmt::format(" Not seen: {}.", unseen));
}

std::string delays_coverage(const ExploreReport& report) {
  const EventDelays& delays = report.delays->delays;
  const std::string numbers =
      fmt::format("{}, {}", counted(report.result.counts.executions, "execution"),
                  counted(delays.states, "state"));
  if (report.result.complete) {
    return fmt::format("{}{}, with events held back or not: {}", all_kinds(report), timing(report),
                       numbers);
  }
  if (delays.prospect == Prospect::kOpen)
    return fmt::format("a part of the schedules: {}", numbers);
  return fmt::format("as many schedules as it takes to say that: {}", numbers);
}

// Where the properties were shown to hold; empty if an execution failed. Only what was covered to
// its end is shown.
std::string shown_where(const ExploreReport& report) {
  const SearchCounts& counts = report.result.counts;
  if (report.properties.empty() || counts.failing > 0 || counts.executions == 0) return "";
  if (report.result.causal) return is_complete(report) ? "all behaviours" : "";
  if (report.result.end != ExploreEnd::kExhausted || counts.unfinished > 0) return "";
  const bool bounded = report.bound && counts.beyond_bound > 0;
  return fmt::format("{}{}{}", all_kinds(report), timing(report),
                     bounded ? " with at most " + counted(*report.bound, "preemption") : "");
}

std::string redundant_text(const SearchCounts& counts) {
  if (counts.redundant == 0) return "";
  return fmt::format(", and {} that turned out to be like another",
                     counted(counts.redundant, "execution"));
}

}  // namespace

std::string all_of_them(const ExploreReport& report) {
  return std::string(all_kinds(report)) + timing(report);
}

std::string coverage_text(const ExploreReport& report) {
  const ExploreResult& result = report.result;
  const SearchCounts& counts = result.counts;
  const std::uint64_t executed = counts.executions - counts.redundant;
  if (result.causal) return causal_coverage(report);
  if (report.delays) return delays_coverage(report);
  const bool classes = report.order == SearchOrder::kDpor;
  if (result.end == ExploreEnd::kExhausted) {
    std::string rest;
    if (counts.unfinished > 0)
      rest = fmt::format(", but for what lies behind the {} that did not end",
                         counted(counts.unfinished, "execution"));
    if (classes)
      return fmt::format("{}{}: {}, one of each kind{}", all_of_them(report), rest,
                         counted(executed, "execution"), redundant_text(counts));
    if (report.bound && counts.beyond_bound > 0) {
      return fmt::format("{} with at most {}{}", all_things(report, executed),
                         counted(*report.bound, "preemption"), rest);
    }
    if (report.bound && counts.by_preemptions.size() <= *report.bound) {
      return fmt::format("{}{}; none has more than {}", all_things(report, executed), rest,
                         counted(counts.by_preemptions.size() - 1, "preemption"));
    }
    return fmt::format("{}{}", all_things(report, executed), rest);
  }
  std::string text;
  if (result.preemptions_done && report.order == SearchOrder::kIcb) {
    text = fmt::format("all {}{} with at most {}; ",
                       shows_calls_only(report) ? "orders of synchronisation calls"
                       : report.unseen.empty()  ? "schedules"
                                                : "schedules of what was seen",
                       timing(report), counted(*result.preemptions_done, "preemption"));
  }
  const std::uint64_t total = estimated_executions(counts, result.explored);
  text += total > 0 ? fmt::format("{} of an estimated {}", grouped(counts.executions),
                                  counted(total, "execution"))
                    : fmt::format("{} of very many", grouped(counts.executions));
  if (result.queued > 0)
    text += fmt::format("; {} queued ({:.1f} MB)", grouped(result.queued),
                        static_cast<double>(result.queue_bytes) / 1e6);
  return text;
}

std::string explore_text(const ExploreReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text = first_line(report, look);
  for (const std::string& remark : report.remarks) text += paragraph(remark, width, 0);
  text += earlier_text(report);
  if (!report.delays || enforceable(*report.delays) != Enforceable::kYes)
    text += groups_text(
        report.findings, report.result.counts.executions,
        [](const FailureGroup& group) {
          return fmt::format("the first is number {}", grouped(group.first_seed));
        },
        look);
  std::size_t number = report.findings.size() + report.earlier.size();
  for (const FoundMisuse& misuse : report.misuses) text += misuse_part(++number, misuse, look);
  text += unfinished_text(report, look);
  if (report.result.causal && report.result.causal->problem.kind != CausalProblem::kNone) {
    text += "\n" + bold("NOT COVERED", look) + "\n";
    text += paragraph(problem_text(report.result.causal->problem), width, 3);
  }
  if (!report.divergence.empty()) {
    text += "\n" + bold("DIVERGED", look) + "\n";
    text += paragraph(report.divergence, width, 3);
    text += paragraph(
        "The same choices did not lead to the same step: what the program does depends on "
        "something besides its threads (time, addresses, files, earlier executions). What it "
        "depends on has to be fixed before schedules can be covered.",
        width, 3);
  }
  if (report.delays) text += delays_text(report, look);
  text += "\n" + paragraph(bold(summary(report), look), width, 0);
  if (const std::string where = shown_where(report); !where.empty())
    text += paragraph(property_sentence(report.properties, where), width, 0);
  text += paragraph("Covered: " + coverage_text(report) + ". " + not_covered(report), width, 0);
  return text;
}

}  // namespace raddle
