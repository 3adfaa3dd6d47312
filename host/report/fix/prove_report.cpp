#include "host/report/fix/prove_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "host/base/printable.hpp"
#include "host/process/outcome.hpp"
#include "host/report/document/findings.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

// Every schedule was executed to its end.
bool is_proof(const ProveReport& report) {
  return report.explored && is_complete(*report.explored) &&
         report.explored->result.end == ExploreEnd::kExhausted &&
         report.explored->result.counts.unfinished == 0;
}

std::uint64_t ended(const ProveReport& report) {
  std::uint64_t count = 0;
  for (const GuidedRun& run : report.guided) count += run.unfinished.empty() ? 1 : 0;
  if (report.explored)
    count += report.explored->result.counts.executions - report.explored->result.counts.unfinished;
  if (report.fuzzed) count += report.fuzzed->counts.executions - report.fuzzed->counts.inconclusive;
  return count;
}

std::string verdict_words(const ProveReport& report) {
  switch (report.found) {
    case AfterFix::kSameFailure:
      return "the failure is still there";
    case AfterFix::kDeadlock:
      return "a deadlock came in";
    case AfterFix::kOtherFailure:
      return "another failure is there";
    case AfterFix::kGone:
      break;
  }
  if (ended(report) == 0) return "no verdict: no execution ended";
  return is_proof(report) ? "the failure is gone, and no deadlock came in"
                          : "no failure and no deadlock was seen; that is no proof";
}

std::string guided_words(const GuidedRun& run) {
  const std::string how = !run.unfinished.empty()   ? "no verdict: " + run.unfinished
                          : is_failing(run.outcome) ? "fails"
                                                    : "passes";
  const std::string part = run.followed == run.turns
                               ? fmt::format("its {} came about again", counted(run.turns, "turn"))
                               : fmt::format("the first {} of its {} came about again",
                                             run.followed, counted(run.turns, "turn"));
  return fmt::format("{}: {}; {}", run.replay, how, part);
}

// What the result does not say, "; " between its parts.
std::string not_proved(const ProveReport& report) {
  std::string text;
  const auto add = [&text](const std::string& words) {
    if (!words.empty()) text += (text.empty() ? "" : "; ") + words;
  };
  for (const GuidedRun& run : report.guided) {
    if (!run.confirmed_only) continue;
    add(
        fmt::format("that what {} shows is gone: it was confirmed by an execution that did not "
                    "fail, and only failures are looked for here",
                    run.replay));
  }
  if (!is_proof(report) && report.found == AfterFix::kGone) add("schedules that were not executed");
  if (report.explored) {
    add(not_covered_text(*report.explored));
    add(unseen_text(report.explored->unseen));
  }
  return text;
}

std::string fuzzed_words(const FuzzResult& result) {
  return fmt::format("{}, {} of them different", counted(result.counts.executions, "execution"),
                     grouped(result.counts.schedules));
}

std::string labelled(const char* label, const std::string& words, std::size_t width) {
  return paragraph(fmt::format("{:<10} {}", label, words), width, 3);
}

std::string text_of(const ProveReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text =
      fmt::format("raddle: {}  {}\n", bold(report.program, look), verdict_words(report));
  for (const GuidedRun& run : report.guided) text += labelled("again", guided_words(run), width);
  if (report.explored) text += labelled("explored", coverage_text(*report.explored), width);
  if (report.explored && !report.explored->divergence.empty())
    text += labelled("diverged", report.explored->divergence, width);
  if (report.fuzzed) text += labelled("fuzzed", fuzzed_words(*report.fuzzed), width);
  if (report.interrupted) text += "   interrupted\n";
  if (const std::string rest = not_proved(report); !rest.empty())
    text += labelled("not proved", rest, width);
  if (!report.failure) return text;
  text += groups_text(
      std::span(&*report.failure, 1), 1,
      [&report](const FailureGroup&) { return fmt::format("by {}.", report.found_by); }, look);
  if (report.failure->replay_path.empty() || report.found == AfterFix::kDeadlock) return text;
  std::string files;
  for (const GuidedRun& run : report.guided) files += " " + shell_quoted(run.replay);
  return text + paragraph(fmt::format("A property against both: {} fix{} {} -o FILE", tool_name(),
                                      files, shell_quoted(report.failure->replay_path)),
                          width, 3);
}

const char* found_text(AfterFix found) {
  switch (found) {
    case AfterFix::kGone:
      return "gone";
    case AfterFix::kSameFailure:
      return "same-failure";
    case AfterFix::kDeadlock:
      return "deadlock";
    case AfterFix::kOtherFailure:
      return "other-failure";
  }
  return "";
}

nlohmann::ordered_json json_of(const ProveReport& report) {
  nlohmann::ordered_json guided = nlohmann::ordered_json::array();
  for (const GuidedRun& run : report.guided) {
    guided.push_back({{"replay", run.replay},
                      {"recorded", run.recorded},
                      {"outcome", outcome_text(run.outcome)},
                      {"turns", run.turns},
                      {"followed", run.followed}});
  }
  nlohmann::ordered_json json = {{"command", "fix"},
                                 {"program", report.program},
                                 {"found", found_text(report.found)},
                                 {"proved", is_proof(report) && report.found == AfterFix::kGone},
                                 {"guided", guided}};
  json["explored"] = nullptr;
  if (report.explored) {
    json["explored"] = {{"executions", report.explored->result.counts.executions},
                        {"complete", is_proof(report)},
                        {"covered", coverage_text(*report.explored)}};
  }
  json["fuzzed"] = nullptr;
  if (report.fuzzed) json["fuzzed"] = {{"executions", report.fuzzed->counts.executions}};
  json["not_proved"] = not_proved(report);
  json["failure"] = nullptr;
  if (report.failure) json["failure"] = group_json(*report.failure, "first");
  return json;
}

DocumentVerdict verdict_of(const ProveReport& report) {
  if (report.found != AfterFix::kGone) return DocumentVerdict::kFound;
  const bool diverged = report.explored && !report.explored->divergence.empty();
  if (diverged || report.interrupted || ended(report) == 0) return DocumentVerdict::kInconclusive;
  return DocumentVerdict::kNothingFound;
}

}  // namespace

Document document_of(const ProveReport& report) {
  Document document;
  document.command = "fix";
  document.program = report.program;
  document.verdict = verdict_of(report);
  if (report.failure) document.findings.push_back(finding_of(*report.failure));
  if (report.explored) {
    document.covered = coverage_text(*report.explored);
    document.counts = {{"executions", report.explored->result.counts.executions}};
    document.out_of_control = report.explored->out_of_control;
    document.seconds = report.explored->result.seconds;
  }
  document.not_covered = not_proved(report);
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
