#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "host/base/printable.hpp"
#include "host/process/outcome.hpp"
#include "host/report/explanation_text.hpp"
#include "host/report/finding_text.hpp"
#include "host/report/results/execution_report.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/results/hunt/hunt_causes.hpp"
#include "host/report/results/hunt/hunt_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/same_finding.hpp"
#include "host/report/words/causal_words.hpp"
#include "host/report/words/circumstances/circumstance_words.hpp"
#include "host/report/words/control/control_words.hpp"
#include "host/report/words/harm_words.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/published/published_words.hpp"
#include "host/report/words/step_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShownFailures = 5;
constexpr std::size_t kShownConfirmed = 3;
constexpr std::size_t kShownCandidates = 50;
constexpr std::size_t kShownWithFailure = 3;

// Seen, without harm, and not counted.
std::vector<const HuntFinding*> harmless(const HuntReport& report) {
  std::vector<const HuntFinding*> list;
  for (const HuntFinding& one : report.result.candidates)
    if (one.level == FindingLevel::kSeen && !report.strict) list.push_back(&one);
  return list;
}

std::string first_line(const HuntReport& report) {
  const HuntResult& result = report.result;
  const std::string& name = report.program;
  if (result.executions == 0)
    return fmt::format(
        "raddle: {}  {}\n", name,
        result.interrupted ? "interrupted before an execution came to its end" : "no execution");
  std::string text = fmt::format("raddle: {}  ", name);
  if (result.inconclusive == result.executions) {
    text += "no execution came to its end under control";
  } else if (result.threads <= 1 && result.interrupted) {
    text += "interrupted; no execution so far started a second thread";
  } else if (result.threads <= 1) {
    text += "never starts a second thread: there is nothing to schedule";
  } else {
    text += fmt::format("{}, {} an execution, {}", counted(result.threads, "thread"),
                        counted(result.steps / result.executions, "decision point"),
                        result.instrumented ? "instrumented" : "unmodified");
  }
  text += "\n";
  const std::string natively = native_text(report.native);
  if (!natively.empty() && !report.native_told) {
    text += fmt::format("raddle: {}\n", natively);
  }
  return text;
}

// For --all: how far the candidates of each kind came.
std::string table(const HuntResult& result) {
  constexpr std::size_t kLevels = static_cast<std::size_t>(FindingLevel::kFailing) + 1;
  std::map<FindingKind, std::array<std::size_t, kLevels>> kinds;
  for (const HuntFinding& one : result.candidates)
    ++kinds[one.finding.kind][static_cast<std::size_t>(one.level)];
  std::string text = fmt::format("\n  {:<18}", "");
  for (const char* title : {"unconfirmed", "no harm", "harmful", "confirmed", "failing"})
    text += fmt::format("{:>12}", title);
  text += "\n";
  for (const auto& [kind, cells] : kinds) {
    text += fmt::format("  {:<18}", finding_kind_text(kind));
    for (const std::size_t cell : cells) text += fmt::format("{:>12}", cell);
    text += "\n";
  }
  return text;
}

// A level alone does not say that nobody declared the unit. Which one it is has its place where the
// finding is told by itself, and in --json.
std::string what_words(const HuntFinding& one) {
  return fmt::format("{}: {}{}", finding_kind_text(one.finding.kind), one.finding.what,
                     one.story.rests_on_inference ? " (by inferred units)" : "");
}

// What an inferred unit says in many words, the explanation of the failure says in few.
bool is_told(const HuntFinding& one, const HuntFailure& failure) {
  return one.story.rests_on_inference && !failure.group.explanation.empty();
}

// The candidates that were confirmed in executions that failed like this: what the explanation,
// which looks at one execution, may not have seen. It does look at who took a lock in between.
std::string confirmed_with(const HuntFailure& failure, const HuntResult& result,
                           std::size_t width) {
  std::vector<std::string> list;
  for (const HuntFinding& one : result.candidates) {
    if (one.level != FindingLevel::kFailing || one.group != failure.failure.group ||
        one.finding.kind == FindingKind::atomicity || is_told(one, failure)) {
      continue;
    }
    std::string text = what_words(one);
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
  }
  if (list.empty()) return {};
  std::string text = "   confirmed in executions that fail so:\n";
  for (std::size_t i = 0; i < list.size() && i < kShownWithFailure; ++i) {
    text += paragraph(list[i], width, 5);
  }
  if (list.size() > kShownWithFailure) {
    text +=
        fmt::format("     and {} more (--json has them all)\n", list.size() - kShownWithFailure);
  }
  return text;
}

// Findings of executions that passed, at the same places as a failure or with the same variable:
// no other finding, but the same one.
std::string same_places(const HuntFailure& failure, const std::vector<const HuntFinding*>& all,
                        std::size_t width) {
  std::vector<std::string> list;
  for (const HuntFinding* one : all) {
    if (!belongs_to(one->story, failure.group.explanation) || is_told(*one, failure)) continue;
    std::string text = what_words(*one);
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
  }
  if (list.empty()) return {};
  std::string text = "   of the same cause, in executions that passed:\n";
  for (std::size_t i = 0; i < list.size() && i < kShownWithFailure; ++i) {
    text += paragraph(list[i], width, 5);
  }
  if (list.size() > kShownWithFailure) {
    text +=
        fmt::format("     and {} more (--json has them all)\n", list.size() - kShownWithFailure);
  }
  return text;
}

// What counts besides, and belongs to no failure: all of it, and one of each cause.
struct Besides {
  std::vector<const HuntFinding*> all;
  std::vector<const HuntFinding*> different;
};

Besides besides(const HuntReport& report) {
  const std::vector<PartOf> parts = parts_of(report);
  const std::vector<HuntFinding>& candidates = report.result.candidates;
  Besides list;
  for (const HuntFinding* one : counting(report)) {
    const PartOf& part = parts[static_cast<std::size_t>(one - candidates.data())];
    if (part.kind != PartOf::Kind::kFailure) list.all.push_back(one);
    if (part.kind == PartOf::Kind::kNothing) list.different.push_back(one);
  }
  return list;
}

std::string failure_part(std::size_t number, const HuntFailure& failure, const HuntReport& report,
                         const TextOptions& look) {
  const FailureGroup& group = failure.group;
  std::string text =
      fmt::format("\n{}  {}  {} of {}\n", number, bold("FAILING", look), grouped(group.count),
                  counted(report.result.executions, "execution"));
  text += explained_text(failure.failure, group.explanation, look);
  text += not_again_text(group, "", static_cast<std::size_t>(look.width));
  text += confirmed_with(failure, report.result, static_cast<std::size_t>(look.width));
  text += same_places(failure, counting(report), static_cast<std::size_t>(look.width));
  text += last_output(failure.smallest);
  if (const std::string needs = circumstance_words(failure.needs); !needs.empty())
    text += paragraph("needs " + needs, static_cast<std::size_t>(look.width), 3);
  if (failure.minimized) {
    // Fewer preemptions may take more steps: those are not what was made smaller.
    const bool shorter = failure.after.steps < failure.before.steps;
    text +=
        fmt::format("   minimized {} -> {}, {}{}\n", failure.before.preemptions,
                    counted(failure.after.preemptions, "preemption"),
                    shorter ? fmt::format("{} -> ", grouped(failure.before.steps)) : std::string(),
                    counted(failure.after.steps, "step"));
  }
  return text + replay_lines(group.replay_path, 5);
}

// Other races that one atomic variable would have ordered.
std::vector<const HuntFinding*> behind_flag(const HuntFinding& finding,
                                            const std::vector<const HuntFinding*>& all) {
  const std::string flag = flag_of(finding.story);
  std::vector<const HuntFinding*> list;
  for (const HuntFinding* one : all)
    if (one != &finding && !flag.empty() && flag_of(one->story) == flag) list.push_back(one);
  return list;
}

// Other races on memory that the finding's thread came to by the same pointer, or by the one that
// the finding is about.
std::vector<const HuntFinding*> behind_pointer(const HuntFinding& finding,
                                               const std::vector<const HuntFinding*>& all) {
  const std::string own = pointer_to(finding.story);
  const std::string& pointer = own.empty() ? finding.story.object : own;
  std::vector<const HuntFinding*> list;
  for (const HuntFinding* one : all)
    if (one != &finding && !pointer.empty() && pointer_to(one->story) == pointer)
      list.push_back(one);
  return list;
}

std::string confirmed_part(std::size_t number, const HuntFinding& one,
                           const std::vector<const HuntFinding*>& all, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  const std::vector<const HuntFinding*> behind = behind_pointer(one, all);
  FindingStory story = one.story;
  if (!behind.empty() && story.published.empty())
    story.why += " Suggestion: " + published_suggestion(behind.front()->story);
  std::string text = "\n" + finding_text(number, story, 0, look);
  const auto list = [&](const std::vector<const HuntFinding*>& others, const char* title) {
    std::vector<std::string> lines;
    for (const HuntFinding* other : others) {
      std::string words = what_words(*other);
      const bool said =
          words == what_words(one) || std::find(lines.begin(), lines.end(), words) != lines.end();
      if (!said) lines.push_back(std::move(words));
    }
    if (!lines.empty()) text += title;
    for (std::size_t i = 0; i < lines.size() && i < kShownWithFailure; ++i)
      text += paragraph(lines[i], width, 5);
  };
  list(behind, "   of the same cause, on memory that is reached by the pointer:\n");
  list(behind_flag(one, all), "   of the same cause:\n");
  if (!one.replay_path.empty()) {
    text += fmt::format("   again     {} replay {}\n", tool_name(), shell_quoted(one.replay_path));
  }
  return text;
}

// Those that are explained, or all if none is: of a primitive that has been destroyed, say, every
// later use is a misuse, too, and a line each is enough.
std::string misuses_part(const HuntResult& result, std::size_t& number, const TextOptions& look) {
  const std::vector<FoundMisuse>& misuses = result.misuses;
  const std::vector<std::optional<std::size_t>> failures = failures_of_misuses(result);
  const auto is_explained = [](const FoundMisuse& one) { return !one.explanation.empty(); };
  const bool any = std::any_of(misuses.begin(), misuses.end(), is_explained);
  std::string text;
  std::string others;
  for (std::size_t i = 0; i < misuses.size(); ++i) {
    const FoundMisuse& misuse = misuses[i];
    if (failures[i]) {
      text += fmt::format("\n{}  MISUSE in {} that passed, by the cause of {}\n", ++number,
                          counted(misuse.note.count, "execution"), *failures[i] + 1);
      text += paragraph(misuse_words(misuse.note.what), static_cast<std::size_t>(look.width), 0);
    } else if (!any || is_explained(misuse)) {
      text += misuse_part(++number, misuse, look);
    } else {
      others += paragraph(fmt::format("{} ({})", misuse_words(misuse.note.what),
                                      counted(misuse.note.count, "execution")),
                          static_cast<std::size_t>(look.width), 3);
    }
  }
  if (others.empty()) return text;
  return text + "\nMisuse that may follow from it (--json has more):\n" + others;
}

// A line each, with what it says of itself.
std::string listed(const char* title, const std::vector<const HuntFinding*>& list,
                   const std::function<std::string(const HuntFinding&)>& remark,
                   const TextOptions& look) {
  if (list.empty()) return {};
  std::string text = fmt::format("\n{}\n", title);
  for (std::size_t i = 0; i < list.size() && i < kShownCandidates; ++i) {
    // Of a race without harm nothing is to be said: it was not inferred.
    const std::string said = remark(*list[i]);
    text += paragraph(
        fmt::format("{}: {}{}", finding_kind_text(list[i]->finding.kind), list[i]->finding.what,
                    said.empty() ? said : fmt::format(" ({})", said)),
        static_cast<std::size_t>(look.width), 3);
  }
  if (list.size() > kShownCandidates)
    text += fmt::format("   and {} more (--json has them all)\n", list.size() - kShownCandidates);
  return text;
}

std::string harmless_part(const HuntReport& report, const TextOptions& look) {
  const auto remark = [](const HuntFinding& one) {
    const std::string inference = inference_words(one.story);
    return one.story.harm.why_not.empty() ? inference : one.story.harm.why_not + "; " + inference;
  };
  return listed("Seen, no harm found", harmless(report), remark, look);
}

std::string unconfirmed_part(const HuntReport& report, const TextOptions& look) {
  std::vector<const HuntFinding*> list;
  for (const HuntFinding& one : report.result.candidates)
    if (one.level == FindingLevel::kCandidate) list.push_back(&one);
  const auto remark = [](const HuntFinding& one) { return counted(one.tried, "execution"); };
  return listed("Not confirmed", list, remark, look);
}

// Failures that are listed apart.
std::size_t rare_causes(const HuntReport& report) {
  const std::vector<std::size_t> first = first_of_cause(report.result);
  std::size_t causes = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    causes += first[i] == i && !counts(report.result.failures[i], report) ? 1 : 0;
  return causes;
}

std::string summary(const HuntReport& report) {
  const HuntResult& result = report.result;
  const std::size_t unconfirmed = result.candidates.size() - count_of(result, FindingLevel::kSeen);
  const std::size_t no_harm = harmless(report).size();
  std::string text = result.interrupted ? "Interrupted. " : "";
  const auto of_failures = failures_of_misuses(result);
  const auto own_misuses = std::count(of_failures.begin(), of_failures.end(), std::nullopt);
  text += fmt::format("{} failing, {} confirmed besides", failing_causes(report),
                      besides(report).different.size() + static_cast<std::size_t>(own_misuses));
  if (const std::size_t rare = rare_causes(report); rare > 0)
    text +=
        fmt::format(", {} only if a wait of a second or more times out early (--strict counts {})",
                    rare, rare == 1 ? "it" : "them");
  if (no_harm > 0) text += fmt::format(", {} seen without harm", grouped(no_harm));
  if (unconfirmed > 0) text += fmt::format(", {} unconfirmed", counted(unconfirmed, "candidate"));
  if (no_harm + unconfirmed > 0 && !report.all) text += " (--all lists them)";
  text += fmt::format("; {}, {}", counted(result.executions, "execution"),
                      duration_text(report.seconds));
  if (report.earlier_executions > 0) {
    text += fmt::format(" (and {} before)", grouped(report.earlier_executions));
  }
  if (result.inconclusive > 0)
    text += fmt::format(", {} inconclusive", grouped(result.inconclusive));
  if (result.covered) text += fmt::format("; {} covered", all_of_them(explored(report)));
  return text + ".";
}

std::string coverage(const HuntReport& report) {
  const HuntResult& result = report.result;
  std::string text = fmt::format(
      "Covered: {}. Not covered: {}.",
      result.covered ? coverage_text(explored(report))
                     : counted(result.schedules, "different schedule") + " of this input",
      not_covered_text(report));
  for (const std::string& remark : coverage_remarks(report)) text += " " + remark;
  if (const std::string unseen = unseen_text(result.unseen); !unseen.empty())
    text += fmt::format(" Not seen: {}.", unseen);
  if (result.out_of_budget || result.interrupted) {
    text += fmt::format(" To go on: the same command with --resume {}.", report.folder);
  }
  return text;
}

}  // namespace

ExploreReport explored(const HuntReport& report) {
  const HuntResult& result = report.result;
  ExploreReport explored;
  explored.order = result.covered->order;
  explored.decide = report.decide;
  explored.result.end = ExploreEnd::kExhausted;
  explored.result.counts = result.covered->counts;
  explored.result.complete = true;
  explored.result.explored = 1;
  explored.instrumented = result.instrumented;
  explored.unseen = result.unseen;
  explored.out_of_control = result.out_of_control;
  return explored;
}

bool is_complete(const HuntReport& report) {
  return report.result.covered && is_complete(explored(report));
}

std::string not_covered_text(const HuntReport& report) {
  if (report.result.covered) return not_covered_text(explored(report));
  const std::string times = timing_words(report.result.out_of_control, "--clock adversarial");
  return "other schedules, other inputs" + (times.empty() ? "" : "; " + times);
}

std::vector<std::string> coverage_remarks(const HuntReport& report) {
  const HuntResult& result = report.result;
  std::vector<std::string> remarks;
  if (result.threads <= 1) return remarks;
  if (!report.one_at_a_time.empty())
    remarks.push_back(
        fmt::format("One execution at a time, because {} (-j has more at a time all the same).",
                    report.one_at_a_time));
  if (!result.instrumented) remarks.push_back(synchronisation_only_text());
  const bool found =
      !result.failures.empty() || !result.misuses.empty() || !counting(report).empty();
  if (!found && report.native.end == NativeRun::End::kFailed)
    remarks.push_back(fmt::format(
        "It failed without raddle ({}), and in no execution under it: what it takes was not "
        "reached{}.",
        wait_status_text(report.native.wait_status),
        result.instrumented ? "; a longer --budget has more"
                            : ", and may lie between two memory accesses, which a build with "
                              "raddle-c++ shows"));
  // Those of the hunts before belong to the same search. Where nothing ends, more of it does not
  // help.
  const bool ends = result.inconclusive < result.executions;
  if (!result.interrupted && !found && ends && report.earlier_executions == 0) {
    if (std::string few = few_executions_text(result.executions, report.seconds); !few.empty())
      remarks.push_back(std::move(few));
  }
  if (result.predicted && result.predicted->unknown > 0)
    remarks.push_back(
        fmt::format("Queries about other schedules of one execution: {}, {} of them unknown.",
                    grouped(result.predicted->queries), grouped(result.predicted->unknown)));
  if (result.predicted && result.predicted->too_late > 0)
    remarks.push_back(
        fmt::format("{} about other schedules of one execution not asked for want of time; a "
                    "longer --budget has more.",
                    counted(result.predicted->too_late, "question")));
  return remarks;
}

std::string no_prediction(const HuntPredicted& predicted) {
  if (!predicted.divergence.empty()) return predicted.divergence;
  return predicted.problem.kind == CausalProblem::kNone ? "" : problem_text(predicted.problem);
}

std::string native_text(const NativeRun& native) {
  switch (native.end) {
    case NativeRun::End::kPassed:
    case NativeRun::End::kInterrupted:
      return {};
    case NativeRun::End::kFailed:
      return fmt::format("it fails without raddle: {}", wait_status_text(native.wait_status));
    case NativeRun::End::kNoEnd:
      return fmt::format("it did not end within {} without raddle, either",
                         duration_text(native.seconds));
  }
  return {};
}

std::string phase_text(const HuntCounts& counts) {
  const std::string time = duration_text(counts.seconds);
  switch (counts.phase) {
    case HuntPhase::kProfile:
      return fmt::format("  profiling   {:>16}  {:>8}   {}",
                         counted(counts.executions, "execution"), time,
                         counted(counts.candidates, "candidate"));
    case HuntPhase::kConfirm:
      return fmt::format("  confirming  {:>16}  {:>8}   {} confirmed, {} failing",
                         counted(counts.executions, "execution"), time, counts.confirmed,
                         counts.failing);
    case HuntPhase::kMinimize:
      return fmt::format("  minimizing  {:>16}  {:>8}   {}",
                         counted(counts.executions, "execution"), time,
                         counted(counts.failing, "failure"));
  }
  return {};
}

std::string hunt_text(const HuntReport& report, const TextOptions& look) {
  const HuntResult& result = report.result;
  const auto width = static_cast<std::size_t>(look.width);
  std::string text = first_line(report);
  for (const HuntCounts* phase : {&result.profile, &result.confirm, &result.minimize}) {
    if (phase->executions > 0) text += phase_text(*phase) + "\n";
  }
  if (report.all && !result.candidates.empty()) text += table(result);
  std::size_t number = 0;
  const std::vector<std::size_t> first = first_of_cause(result);
  bool apart = false;
  for (const HuntFailure& failure : result.failures) {
    if (!apart && !counts(failure, report)) {
      apart = true;
      text += "\n" + paragraph(
                         "Only if a wait of a second or more times out early, which does not "
                         "count (--strict counts it):",
                         width, 0);
    }
    const std::size_t cause = first[number];
    ++number;
    if (number <= kShownFailures && cause + 1 != number) {
      text += fmt::format("\n{}  {} of {} fail otherwise, by the cause of {}\n", number,
                          grouped(failure.group.count), counted(result.executions, "execution"),
                          cause + 1);
      text += paragraph(headline(failure.failure), width, 0);
      text += replay_lines(failure.group.replay_path, 5);
    } else if (number <= kShownFailures) {
      text += failure_part(number, failure, report, look);
    } else {
      text +=
          fmt::format("\n{}  {}\n", number,
                      text_summary(failure.failure, failure.group.count, result.executions, look));
    }
  }
  for (const std::string& path : report.earlier_failures) {
    text += fmt::format("\n{}  {}  found before\n   again     {} replay {}\n", ++number,
                        bold("FAILING", look), tool_name(), shell_quoted(path));
  }
  text += misuses_part(result, number, look);
  const auto [others, different] = besides(report);
  if (!others.empty() && !result.failures.empty())
    text += "\n" + paragraph("Besides, in executions that passed:", width, 0);
  const std::size_t shown = std::min(different.size(), kShownConfirmed);
  for (std::size_t i = 0; i < shown; ++i)
    text += confirmed_part(++number, *different[i], others, look);
  if (others.size() > shown) {
    text +=
        fmt::format("\nand {} more{} (--json has them all)\n", others.size() - shown,
                    different.size() > shown ? "" : " with the same objects, pointers or locks");
  }
  if (report.all) text += harmless_part(report, look) + unconfirmed_part(report, look);
  for (const NoteLine& note : note_lines(result.inconclusive_reasons)) {
    text +=
        paragraph(fmt::format("Inconclusive {} x: {}", grouped(note.count), note.text), width, 0);
  }
  if (result.first_inconclusive && !result.first_inconclusive->replay_path.empty()) {
    text += "   The first of them:\n" + replay_lines(result.first_inconclusive->replay_path);
  }
  text += "\n" + paragraph(bold(summary(report), look), width, 0);
  return text + paragraph(coverage(report), width, 0);
}

}  // namespace raddle
