#include "host/report/results/execution_report.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "host/base/printable.hpp"
#include "host/process/outcome.hpp"
#include "host/report/document/findings.hpp"
#include "host/report/json.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kOutputLines = 20;
constexpr std::size_t kOutputColumns = 400;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// A line of the program's, made printable; of a long one the beginning.
std::string shown_line(std::string_view line) {
  std::string words = printable(line);
  const std::size_t width = text_width(words);
  if (width > kOutputColumns) {
    constexpr std::size_t kDots = 3;
    words = fmt::format("{} ({} more)", cut_to_width(words, kOutputColumns + kDots),
                        grouped(width - kOutputColumns));
  }
  return fmt::format("     {}\n", words);
}

// The text's lines, made printable; of many the first and the last.
std::string shown_lines(std::string_view text, const char* heading) {
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty()) return {};
  std::string result = fmt::format("   {}\n", heading);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > kOutputLines && i == kOutputLines / 2) {
      const std::size_t left_out = lines.size() - kOutputLines;
      result += fmt::format("     [{} left out; --json has more]\n", counted(left_out, "line"));
      i += left_out;
    }
    result += shown_line(lines[i]);
  }
  return result;
}

bool names_failure(std::string_view line) {
  constexpr std::array<std::string_view, 6> kWords = {"Failure", "FAILED",    "Error",
                                                      "error",   "Assertion", "terminate"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return line.find(word) != std::string_view::npos;
  });
}

// The line that stands for what was not kept (host/process/capture.hpp).
bool stands_for_more(std::string_view line) {
  return line.starts_with("[raddle: ") && line.ends_with(" bytes left out here]");
}

// The last lines, and those from the first on that names a failure: a test framework says there
// what went wrong, and then goes on.
std::string telling_lines(const std::vector<std::string_view>& lines) {
  constexpr std::size_t kLastLines = 5;
  constexpr std::size_t kFailureLines = 7;
  const std::size_t last = lines.size() - std::min(lines.size(), kLastLines);
  const std::size_t named = static_cast<std::size_t>(
      std::find_if(lines.begin(), lines.end(), names_failure) - lines.begin());
  std::string text;
  std::size_t left_out = 0;
  bool cut = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool shown = i >= last || (i >= named && i - named < kFailureLines);
    if (!shown) {
      ++left_out;
      cut = cut || stands_for_more(lines[i]);
      continue;
    }
    if (left_out > 0)
      text += fmt::format("     [{}{} {}]\n", cut ? "more than " : "", counted(left_out, "line"),
                          text.empty() ? "before" : "more");
    left_out = 0;
    cut = false;
    text += shown_line(lines[i]);
  }
  return text;
}

}  // namespace

std::string execution_facts(const Execution& execution) {
  std::string threads = counted(execution.threads, "thread");
  if (execution.threads == 1) threads = "1 thread only: nothing to schedule";
  return fmt::format(
      "{}, {}, {}, {}, choice log {:016x}", threads, counted(execution.steps, "step"),
      execution.switches == 1 ? "1 switch" : grouped(execution.switches) + " switches",
      duration_text(execution.seconds), execution.log_hash);
}

std::string verdict_text(const Execution& execution, const Failure& failure,
                         const TextOptions& options) {
  const bool passed = execution.kind == OutcomeKind::kNone;
  std::string text = fmt::format("raddle: {}: {}\n",
                                 bold(passed ? "passed" : outcome_text(execution.kind), options),
                                 execution_facts(execution));
  if (!passed) return text + failure_text(failure, options);
  for (const MisuseLine& misuse : failure.misuses)
    text += fmt::format("raddle: misuse: {}\n", misuse_words(misuse));
  return text;
}

std::string program_output(const Execution& execution) {
  std::string text = shown_lines(execution.out, "standard output");
  text += shown_lines(execution.err, "standard error");
  return text;
}

std::string last_output(const Execution& execution) {
  std::string text;
  for (const std::string* printed : {&execution.out, &execution.err}) {
    std::vector<std::string_view> lines = lines_of(*printed);
    std::erase_if(lines, [](std::string_view line) { return line.empty(); });
    text += telling_lines(lines);
  }
  return text.empty() ? text : "   the program printed\n" + text;
}

nlohmann::ordered_json execution_json(const Execution& execution, const Failure& failure) {
  nlohmann::ordered_json json;
  json["outcome"] = outcome_text(execution.kind);
  json["strategy"] = execution.plan.strategy;
  json["seed"] = execution.plan.seed;
  json["carrier"] = execution.plan.carrier == CarrierKind::kKernel ? "kernel" : "fiber";
  json["threads"] = execution.threads;
  json["steps"] = execution.steps;
  json["switches"] = execution.switches;
  json["preemptions"] = execution.preemptions;
  json["choice_log"] = fmt::format("{:016x}", execution.log_hash);
  json["seconds"] = execution.seconds;
  json["exit_status"] = nullptr;
  json["signal"] = nullptr;
  if (!execution.ended_by_host && WIFEXITED(execution.wait_status)) {
    json["exit_status"] = WEXITSTATUS(execution.wait_status);
  } else if (!execution.ended_by_host && WIFSIGNALED(execution.wait_status)) {
    json["signal"] = signal_text(WTERMSIG(execution.wait_status));
  }
  json["finding"] = nullptr;
  if (execution.kind != OutcomeKind::kNone) json["finding"] = failure_json(failure);
  json["misuses"] = nlohmann::json::array();
  for (const MisuseLine& misuse : failure.misuses) {
    json["misuses"].push_back(misuse_words(misuse));
  }
  return json;
}

nlohmann::ordered_json output_json(const Execution& execution) {
  return {{"stdout", execution.out}, {"stderr", execution.err}};
}

nlohmann::ordered_json cost_json(const ScheduleCost& cost) {
  return {{"preemptions", cost.preemptions}, {"switches", cost.switches}, {"steps", cost.steps}};
}

Document execution_document(const Execution& execution, const Failure& failure) {
  Document document;
  document.verdict = verdict_of(execution.kind);
  if (is_failing(execution.kind)) {
    document.findings.push_back(finding_of(failure));
  } else if (execution.kind != OutcomeKind::kNone) {
    document.notes.push_back(headline(failure));
  }
  // It happened, whatever became of it.
  if (!failure.misuses.empty()) document.verdict = DocumentVerdict::kFound;
  for (const MisuseLine& misuse : failure.misuses) {
    document.notes.push_back(misuse_words(misuse));
  }
  document.counts = {
      {"threads", execution.threads}, {"steps", execution.steps}, {"switches", execution.switches}};
  document.out_of_control = execution.out_of_control;
  document.seconds = execution.seconds;
  return document;
}

DocumentVerdict verdict_of(OutcomeKind kind) {
  if (kind == OutcomeKind::kNone) return DocumentVerdict::kNothingFound;
  return is_failing(kind) ? DocumentVerdict::kFound : DocumentVerdict::kInconclusive;
}

}  // namespace raddle
