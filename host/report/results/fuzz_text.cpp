#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/base/printable.hpp"
#include "host/campaign/fuzz/statistics.hpp"
#include "host/process/outcome.hpp"
#include "host/report/results/candidate_report.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/results/fuzz_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/control/control_words.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/unseen_words.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShownNotes = 5;

std::string percent(double part) { return fmt::format("{:.1f}", 100 * part); }

// The program, and what it does in one execution.
std::string first_line(const FuzzReport& report, const TextOptions& look) {
  const FuzzResult& result = report.result;
  const FuzzCounts& counts = result.counts;
  const std::string name = bold(report.program, look);
  if (counts.executions == 0 && result.pursues && result.pursued.empty())
    return fmt::format("raddle: {}  no candidate\n", name);
  if (counts.executions == 0) return fmt::format("raddle: {}  no execution ended\n", name);
  if (counts.threads <= 1) {
    return fmt::format("raddle: {}  1 thread only: nothing to schedule\n", name);
  }
  return fmt::format("raddle: {}  {}, {} an execution, {}\n", name,
                     counted(counts.threads, "thread"),
                     counted(counts.steps / counts.executions, "decision point"), report.strategy);
}

std::string notes_text(const char* heading, const std::vector<NoteLine>& notes,
                       const TextOptions& look) {
  if (notes.empty()) return {};
  std::string text = fmt::format("\n{}\n", heading);
  for (std::size_t i = 0; i < notes.size() && i < kShownNotes; ++i) {
    text += paragraph(fmt::format("{} x, first with seed {}: {}", grouped(notes[i].count),
                                  notes[i].first_seed, notes[i].text),
                      static_cast<std::size_t>(look.width), 3);
  }
  if (notes.size() > kShownNotes) {
    text += fmt::format("   and {} more (--json has them all)\n", notes.size() - kShownNotes);
  }
  return text;
}

// A seed is a sample: only then do rates and intervals mean something.
bool draws_at_random(const FuzzReport& report) { return find_strategy(report.strategy)->samples; }

std::string summary(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  const FuzzCounts& counts = result.counts;
  std::string text = result.interrupted     ? "Interrupted. "
                     : result.out_of_budget ? "Out of time (--budget). "
                                            : "";
  if (counts.failing == 0) {
    const bool seen =
        std::any_of(result.pursued.begin(), result.pursued.end(),
                    [](const CandidateTally& pursued) { return pursued.confirmation.confirmed; });
    text += counts.executions == 0 || counts.inconclusive > 0 ? "No verdict: "
            : seen                                            ? "No failing execution: "
                                                              : "Nothing found: ";
    text += fmt::format("{} passed", counted(counts.executions - counts.inconclusive, "execution"));
  } else {
    text += fmt::format("{}: {} of {}", counted(counts.findings, "failing finding"),
                        grouped(counts.failing), counted(counts.executions, "execution"));
    if (report.keep_going && draws_at_random(report)) {
      const Interval interval = wilson95(counts.failing, counts.executions);
      text += fmt::format(
          ", {} % (95 % interval {} to {} %)",
          percent(static_cast<double>(counts.failing) / static_cast<double>(counts.executions)),
          percent(interval.low), percent(interval.high));
    } else if (!report.keep_going) {
      text += " (stopped at the first; --keep-going counts them)";
    }
  }
  if (counts.inconclusive > 0)
    text += fmt::format(", {} inconclusive", grouped(counts.inconclusive));
  return text + fmt::format("; {}, {:.0f} a second.", duration_text(result.seconds),
                            executions_per_second(result));
}

std::string coverage(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  const FuzzCounts& counts = result.counts;
  std::string text =
      fmt::format("Covered: {} of this input.", counted(counts.schedules, "different schedule"));
  const std::uint64_t passed = counts.executions - counts.inconclusive;
  // Those that were given up may be the ones that fail.
  if (counts.failing == 0 && counts.inconclusive == 0 && passed > 0 && counts.threads > 1 &&
      draws_at_random(report)) {
    text += fmt::format(
        " A failure that {} meets in more than {:.2g} % of its executions would very "
        "likely have shown.",
        report.strategy, 100 * wilson95(0, passed).high);
  }
  text += fmt::format(" Not covered: {}.", not_covered_text(report));
  if (const std::string few = few_text(report); !few.empty()) text += " " + few;
  if (const std::string unseen = unseen_text(result.unseen); !unseen.empty())
    text += fmt::format(" Not seen: {}.", unseen);
  return text;
}

// Strategies that sample without anything in view, but for this one and the default. Those that
// need to know how long an execution is come last.
std::vector<const StrategyEntry*> other_samplers(const std::string& strategy) {
  std::vector<const StrategyEntry*> others;
  const StrategyEntry* ours = find_strategy(strategy);
  const StrategyEntry* usual = find_strategy(kPlainStrategy);
  for (const StrategyEntry& entry : strategies()) {
    if (entry.samples && entry.confirms == Confirms::kNothing && &entry != ours && &entry != usual)
      others.push_back(&entry);
  }
  std::stable_partition(others.begin(), others.end(),
                        [](const StrategyEntry* entry) { return !entry->needs_length; });
  return others;
}

std::string what_next(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  const FuzzCounts& counts = result.counts;
  if (counts.failing > 0 || counts.executions == 0) return {};
  if (counts.inconclusive == counts.executions) {
    return "--timeout, --budget and --max-steps set the limits.";
  }
  if (counts.threads <= 1) {
    return "Give the program input or arguments with which it starts threads.";
  }
  std::string text = "To try next: ";
  // What an unmodified program does after it gave up a lock shows in no other way.
  if (!result.instrumented && !report.decides_all) text += "--decide all, ";
  text += draws_at_random(report) ? fmt::format("-n {}", counts.executions * 10)
                                  : fmt::format("--strategy {}", kPlainStrategy);
  for (const StrategyEntry* entry : other_samplers(report.strategy))
    text += fmt::format(", --strategy {}", entry->name);
  if (report.steady_clock) text += ", --clock adversarial";
  if (!report.spurious_wakeups) text += ", --spurious-wakeups";
  if (result.instrumented) return text + ".";
  return text + "; and a build with raddle-c++, which shows memory accesses.";
}

}  // namespace

std::string not_covered_text(const FuzzReport& report) {
  const std::string times = timing_words(report.result.out_of_control, "--clock adversarial");
  return "other schedules, other inputs" + (times.empty() ? "" : "; " + times);
}

std::string few_text(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  if (!result.out_of_budget || result.counts.failing > 0 || result.counts.threads <= 1) return {};
  return few_executions_text(result.counts.executions, result.seconds);
}

std::string fuzz_text(const FuzzReport& report, const TextOptions& look) {
  const FuzzResult& result = report.result;
  const auto width = static_cast<std::size_t>(look.width);
  std::string text = first_line(report, look);
  text += groups_text(
      result.findings, result.counts.executions,
      [](const FailureGroup& group) { return fmt::format("first with seed {}", group.first_seed); },
      look);
  text += pursued_text(result, look);
  text += notes_text("Inconclusive", note_lines(result.inconclusive), look);
  if (result.first_inconclusive && !result.first_inconclusive->replay_path.empty()) {
    text += "   The first of them:\n" + replay_lines(result.first_inconclusive->replay_path);
  }
  text += notes_text("Misuse, in executions that passed", note_lines(result.misuses), look);
  text += "\n" + paragraph(bold(summary(report), look), width, 0);
  if (result.counts.executions > result.counts.inconclusive) {
    text += paragraph(coverage(report), width, 0);
  }
  if (const std::string next = what_next(report); !next.empty()) {
    text += paragraph(next, width, 0);
  }
  return text;
}

}  // namespace raddle
