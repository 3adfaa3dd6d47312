#include "host/cli/commands/explore_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/verdict.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"
#include "host/report/explanation_json.hpp"
#include "host/report/explanation_text.hpp"
#include "host/report/json.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShownFindings = 10;
constexpr std::size_t kShownNotes = 5;
constexpr double kPlainPeriod = 5;  // seconds between plain lines
constexpr std::uint64_t kBarWidth = 10;

double per_second(const ExploreResult& result, std::uint64_t executions) {
  return result.seconds > 0 ? static_cast<double>(executions) / result.seconds : 0;
}

// All there is to execute, if the rest is like what is known; 0: no idea.
std::uint64_t estimated_executions(const SearchCounts& counts, double explored) {
  if (explored <= 0) return 0;
  const double total = static_cast<double>(counts.executions) / explored;
  if (total > 1e18) return 0;
  // Two digits: it is an estimate.
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(total)) - 1));
  return static_cast<std::uint64_t>(std::ceil(total / unit) * unit);
}

std::string strategy_text(const ExploreCommand& command) {
  if (command.program.strategy != "capp") return command.program.strategy;
  return fmt::format("capp {} over {}", command.heuristic, command.base);
}

std::string instrumented_text(const ExploreReport& report) {
  if (!report.instrumented) return "";
  if (report.racing_places == 0) return ", instrumented";
  return fmt::format(", instrumented, {}", counted(report.racing_places, "racing place"));
}

std::string first_line(const ExploreCommand& command, const ExploreReport& report,
                       const TextOptions& look) {
  const SearchCounts& counts = report.result.counts;
  const std::string name = bold(command.program.program.front(), look);
  if (counts.executions == 0) return fmt::format("raddle: {}  no execution ended\n", name);
  if (counts.threads <= 1)
    return fmt::format("raddle: {}  1 thread only: nothing to schedule\n", name);
  return fmt::format("raddle: {}  {}, {} an execution, {}{}\n", name,
                     counted(counts.threads, "thread"),
                     counted(counts.steps / counts.executions, "decision point"),
                     strategy_text(command), instrumented_text(report));
}

std::string finding_text(std::size_t number, const FailureGroup& finding,
                         const ExploreReport& report, const TextOptions& look) {
  std::string text = fmt::format(
      "\n{}  {}  {} of {}, first the {}.\n", number, bold("FAILING", look), grouped(finding.count),
      counted(report.result.counts.executions, "execution"), grouped(finding.first_seed));
  text += explained_text(finding.failure, finding.explanation, look);
  text += program_output(finding.execution, look);
  text += "\n";
  if (!finding.replays) {
    text +=
        paragraph("The same choices did not give the same failure again: " + finding.replay_note +
                      ". Something besides the threads decides here (time of day, random numbers, "
                      "files, other processes).",
                  static_cast<std::size_t>(look.width), 3);
  }
  return text + fmt::format("   again    {0} replay {1}\n   in gdb   {0} replay --gdb {1}\n",
                            tool_name(), shell_quoted(finding.replay_path));
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
  for (std::size_t i = 0; i < report.unfinished.size() && i < kShownNotes; ++i) {
    const Note& note = report.unfinished[i];
    text += paragraph(fmt::format("{} x: {}", grouped(note.count), note.text),
                      static_cast<std::size_t>(look.width), 3);
  }
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
  if (counts.failing > 0) {
    text = fmt::format("{}: {} of {}", counted(findings, "failing finding"),
                       grouped(counts.failing), counted(counts.executions, "execution"));
  } else {
    const std::uint64_t passed = counts.executions - counts.unfinished;
    text =
        fmt::format("{}{} passed",
                    passed == 0 ? "No verdict: " : "Nothing found: ", counted(passed, "execution"));
  }
  if (counts.unfinished > 0)
    text += fmt::format(", {} not executed to the end", grouped(counts.unfinished));
  return text + fmt::format("{}; {}, {:.0f} a second.", end_text(report),
                            duration_text(report.result.seconds),
                            per_second(report.result, counts.executions));
}

std::string not_covered(const ExploreCommand& command, const ExploreReport& report) {
  std::string text = "Not covered: other inputs; weaker memory orders than sequential consistency";
  const std::string& decide = command.program.decide;
  if (!report.instrumented)
    text +=
        "; orders of plain and atomic accesses, which this program does not show: build it with "
        "raddle-c++";
  else if (decide == "sync")
    text += "; orders of plain accesses (--decide races or all)";
  else if (decide == "races")
    text +=
        "; orders of plain accesses that did not race in the executions recorded first "
        "(--decide all has every access)";
  return text + ".";
}

std::string redundant_text(const SearchCounts& counts) {
  if (counts.redundant == 0) return "";
  return fmt::format(", and {} that turned out to be like another",
                     counted(counts.redundant, "execution"));
}

nlohmann::ordered_json finding_json(const FailureGroup& finding) {
  const nlohmann::ordered_json failure = failure_json(finding.failure);
  nlohmann::ordered_json json = {{"level", failure["level"]},
                                 {"kind", failure["kind"]},
                                 {"count", finding.count},
                                 {"first_execution", finding.first_seed},
                                 {"replay", finding.replay_path},
                                 {"message", failure["message"]},
                                 {"where", failure["where"]},
                                 {"replays", finding.replays},
                                 {"replay_note", finding.replay_note}};
  json.update(failure);
  json["explanation"] = explanation_json(finding.explanation);
  json["stdout"] = finding.execution.out;
  json["stderr"] = finding.execution.err;
  return json;
}

const char* end_word(ExploreEnd end) {
  switch (end) {
    case ExploreEnd::kExhausted:
      return "exhausted";
    case ExploreEnd::kFailure:
      return "failure";
    case ExploreEnd::kLimit:
      return "limit";
    case ExploreEnd::kTime:
      return "time";
    case ExploreEnd::kStopped:
      return "interrupted";
    case ExploreEnd::kDiverged:
      return "diverged";
  }
  return "";
}

}  // namespace

std::string coverage_text(const ExploreCommand& command, const ExploreResult& result,
                          bool instrumented) {
  const SearchCounts& counts = result.counts;
  const std::uint64_t executed = counts.executions - counts.redundant;
  const bool classes = command.order() == "dpor";
  if (result.end == ExploreEnd::kExhausted) {
    std::string rest;
    if (counts.unfinished > 0)
      rest = fmt::format(", but for what lies behind the {} that did not end",
                         counted(counts.unfinished, "execution"));
    if (classes) {
      // What the program does not show may depend on the order all the same.
      return fmt::format(
          "{}{}: {}, one of each kind{}",
          instrumented ? "all schedules" : "all orders of synchronisation on the same object", rest,
          counted(executed, "execution"), redundant_text(counts));
    }
    if (command.bound && counts.beyond_bound > 0) {
      return fmt::format("all {} with at most {}{}", counted(executed, "schedule"),
                         counted(*command.bound, "preemption"), rest);
    }
    if (command.bound && counts.by_preemptions.size() <= *command.bound) {
      return fmt::format("all {}{}; none has more than {}", counted(executed, "schedule"), rest,
                         counted(counts.by_preemptions.size() - 1, "preemption"));
    }
    return fmt::format("all {}{}", counted(executed, "schedule"), rest);
  }
  std::string text;
  if (result.preemptions_done && command.order() == "icb") {
    text = fmt::format("all schedules with at most {}; ",
                       counted(*result.preemptions_done, "preemption"));
  }
  const std::uint64_t total = estimated_executions(counts, result.explored);
  text += total > 0 ? fmt::format("{} of an estimated {}", grouped(counts.executions),
                                  counted(total, "execution"))
                    : fmt::format("{} of very many", grouped(counts.executions));
  return text;
}

std::string explore_text(const ExploreCommand& command, const ExploreReport& report,
                         const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text = first_line(command, report, look);
  for (const std::string& remark : report.remarks) text += paragraph(remark, width, 0);
  text += earlier_text(report);
  for (std::size_t i = 0; i < report.findings.size() && i < kShownFindings; ++i)
    text += finding_text(i + 1, report.findings[i], report, look);
  for (std::size_t i = kShownFindings; i < report.findings.size(); ++i) {
    text += fmt::format("{}{}  {}\n", i == kShownFindings ? "\n" : "", i + 1,
                        text_summary(report.findings[i].failure, report.findings[i].count,
                                     report.result.counts.executions, look));
  }
  text += unfinished_text(report, look);
  if (!report.divergence.empty()) {
    text += "\n" + bold("DIVERGED", look) + "\n";
    text += paragraph(report.divergence, width, 3);
    text += paragraph(
        "The same choices did not lead to the same step: what the program does depends on "
        "something besides its threads (time, addresses, files, earlier executions). What it "
        "depends on has to be fixed before schedules can be covered.",
        width, 3);
  }
  text += "\n" + paragraph(bold(summary(report), look), width, 0);
  text += paragraph("Covered: " + coverage_text(command, report.result, report.instrumented) +
                        ". " + not_covered(command, report),
                    width, 0);
  return text;
}

nlohmann::ordered_json explore_json(const ExploreCommand& command, const ExploreReport& report) {
  const ExploreResult& result = report.result;
  const SearchCounts& counts = result.counts;
  nlohmann::ordered_json json = {{"command", "explore"},
                                 {"strategy", command.program.strategy},
                                 {"executions", counts.executions},
                                 {"complete", result.complete},
                                 {"bound", nullptr},
                                 {"failing", counts.failing},
                                 {"findings", nlohmann::ordered_json::array()}};
  if (command.bound) json["bound"] = *command.bound;
  if (command.program.strategy == "capp") {
    json["base"] = command.base;
    json["heuristic"] = command.heuristic;
  }
  json["remarks"] = report.remarks;
  for (const EarlierFinding& finding : report.earlier) {
    json["findings"].push_back({{"level", "failing"},
                                {"kind", finding.kind},
                                {"count", finding.count},
                                {"message", finding.message},
                                {"replay", finding.replay}});
  }
  for (const FailureGroup& finding : report.findings)
    json["findings"].push_back(finding_json(finding));
  json["covered"] = coverage_text(command, result, report.instrumented);
  json["end"] = end_word(result.end);
  json["racing_places"] = report.racing_places;
  json["redundant"] = counts.redundant;
  json["unfinished"] = counts.unfinished;
  json["unfinished_reasons"] = nlohmann::ordered_json::array();
  for (const Note& note : report.unfinished)
    json["unfinished_reasons"].push_back({{"message", note.text}, {"count", note.count}});
  json["beyond_bound"] = counts.beyond_bound;
  json["by_preemptions"] = counts.by_preemptions;
  json["estimated_executions"] = nullptr;
  if (const std::uint64_t total = estimated_executions(counts, result.explored); total > 0)
    json["estimated_executions"] = result.complete ? counts.executions : total;
  json["divergence"] = nullptr;
  if (result.divergence) {
    json["divergence"] = {{"step", result.divergence->step}, {"message", report.divergence}};
  }
  json["instrumented"] = report.instrumented;
  json["threads"] = counts.threads;
  json["steps"] = counts.steps;
  json["seconds"] = result.seconds;
  json["executions_per_second"] = per_second(result, counts.executions);
  return json;
}

int explore_exit_status(const ExploreReport& report) {
  const SearchCounts& counts = report.result.counts;
  if (counts.failing > 0) return kFailingFound;
  if (report.result.divergence) return kInconclusiveEnd;
  return counts.unfinished == counts.executions ? kInconclusiveEnd : kNothingFound;
}

ExploreProgressLine::ExploreProgressLine()
    : terminal_(is_terminal(stderr)), next_(terminal_ ? 0 : kPlainPeriod) {}

ExploreProgressLine::~ExploreProgressLine() {
  if (terminal_ && shown_) complain("\r\x1b[K");
}

void ExploreProgressLine::update(const ExploreProgress& progress) {
  if (progress.seconds < next_) return;
  const SearchCounts& counts = progress.counts;
  const std::uint64_t total = estimated_executions(counts, progress.explored);
  const std::string line = fmt::format(
      "{} of {}, {:.0f}/s, {}", grouped(counts.executions),
      total > 0 ? fmt::format("an estimated {}", counted(total, "execution")) : "very many",
      progress.seconds > 0 ? static_cast<double>(counts.executions) / progress.seconds : 0.0,
      counts.failing == 0 ? "no failure yet" : fmt::format("{} failing", grouped(counts.failing)));
  if (terminal_) {
    const auto filled =
        std::min(kBarWidth, static_cast<std::uint64_t>(progress.explored * double(kBarWidth)));
    complain(fmt::format("\r\x1b[K{:#<{}}{:.<{}}  {}", "", filled, "", kBarWidth - filled, line));
  } else {
    complain(fmt::format("raddle: {}, {}\n", line, duration_text(progress.seconds)));
    next_ = progress.seconds + kPlainPeriod;
  }
  shown_ = true;
}

}  // namespace raddle
