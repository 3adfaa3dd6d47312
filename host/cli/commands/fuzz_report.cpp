#include "host/cli/commands/fuzz_report.hpp"
#include "host/report/explanation_text.hpp"

#include <fmt/format.h>

#include "host/campaign/fuzz/statistics.hpp"
#include "host/cli/commands/candidate_report.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/commands/verdict.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/outcome.hpp"
#include "host/report/explanation_json.hpp"
#include "host/report/json.hpp"
#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShownFindings = 10;
constexpr std::size_t kShownNotes = 5;

double per_second(const FuzzResult& result) {
  return result.seconds > 0 ? static_cast<double>(result.counts.executions) / result.seconds : 0;
}

std::string percent(double part) { return fmt::format("{:.1f}", 100 * part); }

// The program, and what it does in one execution.
std::string first_line(const FuzzCommand& command, const FuzzResult& result,
                       const TextOptions& look) {
  const FuzzCounts& counts = result.counts;
  const std::string name = bold(command.program.program.front(), look);
  if (counts.executions == 0 && result.pursues && result.pursued.empty())
    return fmt::format("raddle: {}  no candidate\n", name);
  if (counts.executions == 0) return fmt::format("raddle: {}  no execution ended\n", name);
  if (counts.threads <= 1) {
    return fmt::format("raddle: {}  1 thread only: nothing to schedule\n", name);
  }
  return fmt::format(
      "raddle: {}  {}, {} an execution, {}\n", name, counted(counts.threads, "thread"),
      counted(counts.steps / counts.executions, "decision point"), command.program.strategy);
}

std::string finding_text(std::size_t number, const FailureGroup& finding, const FuzzResult& result,
                         const TextOptions& look) {
  std::string text = fmt::format(
      "\n{}  {}  {} of {}, first with seed {}\n", number, bold("FAILING", look),
      grouped(finding.count), counted(result.counts.executions, "execution"), finding.first_seed);
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
  const std::string path = shell_quoted(finding.replay_path);
  text += fmt::format("   again    {0} replay {1}\n   in gdb   {0} replay --gdb {1}\n", tool_name(),
                      path);
  return text;
}

std::string notes_text(const char* heading, const std::vector<Note>& notes,
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

// Only then do rates and intervals mean something.
bool draws_at_random(const FuzzCommand& command) {
  const StrategyEntry* entry = find_strategy(command.program.strategy);
  return entry != nullptr && entry->samples;
}

std::string summary(const FuzzCommand& command, const FuzzResult& result) {
  const FuzzCounts& counts = result.counts;
  std::string text = result.interrupted ? "Interrupted. " : "";
  if (counts.failing == 0) {
    text += counts.executions == 0 || counts.inconclusive == counts.executions ? "No verdict: "
                                                                               : "Nothing found: ";
    text += fmt::format("{} passed", counted(counts.executions - counts.inconclusive, "execution"));
  } else {
    text += fmt::format("{}: {} of {}", counted(counts.findings, "failing finding"),
                        grouped(counts.failing), counted(counts.executions, "execution"));
    if (command.keep_going && draws_at_random(command)) {
      const Interval interval = wilson95(counts.failing, counts.executions);
      text += fmt::format(
          ", {} % (95 % interval {} to {} %)",
          percent(static_cast<double>(counts.failing) / static_cast<double>(counts.executions)),
          percent(interval.low), percent(interval.high));
    } else if (!command.keep_going) {
      text += " (stopped at the first; --keep-going counts them)";
    }
  }
  if (counts.inconclusive > 0)
    text += fmt::format(", {} inconclusive", grouped(counts.inconclusive));
  return text +
         fmt::format("; {}, {:.0f} a second.", duration_text(result.seconds), per_second(result));
}

std::string coverage(const FuzzCommand& command, const FuzzResult& result) {
  const FuzzCounts& counts = result.counts;
  std::string text =
      fmt::format("Covered: {} of this input.", counted(counts.schedules, "different schedule"));
  const std::uint64_t passed = counts.executions - counts.inconclusive;
  if (counts.failing == 0 && passed > 0 && counts.threads > 1 && draws_at_random(command)) {
    text += fmt::format(
        " A failure that {} meets in more than {:.2g} % of its executions would very "
        "likely have shown.",
        command.program.strategy, 100 * wilson95(0, passed).high);
  }
  return text + " Not covered: other schedules, other inputs.";
}

std::string what_next(const FuzzCommand& command, const FuzzResult& result) {
  const FuzzCounts& counts = result.counts;
  if (counts.failing > 0 || counts.executions == 0) return {};
  if (counts.inconclusive == counts.executions) {
    return "--timeout and --max-steps set the limits.";
  }
  if (counts.threads <= 1) {
    return "Give the program input or arguments with which it starts threads.";
  }
  std::string text = "To try next: ";
  text +=
      draws_at_random(command) ? fmt::format("-n {}", counts.executions * 10) : "--strategy random";
  for (const char* strategy : {"pos", "pct"}) {
    if (command.program.strategy != strategy) text += fmt::format(", --strategy {}", strategy);
  }
  if (command.program.clock == "steady") text += ", --clock adversarial";
  if (!command.program.spurious_wakeups) text += ", --spurious-wakeups";
  if (result.instrumented) return text + ".";
  if (command.program.decide != "all") text += ", --decide all";
  return text + "; and a build with raddle-c++, which shows memory accesses.";
}

nlohmann::ordered_json notes_json(const std::vector<Note>& notes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Note& note : notes) {
    list.push_back(
        {{"message", note.text}, {"count", note.count}, {"first_seed", note.first_seed}});
  }
  return list;
}

nlohmann::ordered_json finding_json(const FailureGroup& finding) {
  const nlohmann::ordered_json failure = failure_json(finding.failure);
  nlohmann::ordered_json json = {{"level", failure["level"]},
                                 {"kind", failure["kind"]},
                                 {"count", finding.count},
                                 {"first_seed", finding.first_seed},
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

}  // namespace

std::string fuzz_text(const FuzzCommand& command, const FuzzResult& result,
                      const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::string text = first_line(command, result, look);
  for (std::size_t i = 0; i < result.findings.size() && i < kShownFindings; ++i) {
    text += finding_text(i + 1, result.findings[i], result, look);
  }
  for (std::size_t i = kShownFindings; i < result.findings.size(); ++i) {
    text += fmt::format("{}{}  {}\n", i == kShownFindings ? "\n" : "", i + 1,
                        text_summary(result.findings[i].failure, result.findings[i].count,
                                     result.counts.executions, look));
  }
  text += pursued_text(result, look);
  text += notes_text("Inconclusive", result.inconclusive, look);
  text += notes_text("Misuse, in executions that passed", result.misuses, look);
  text += "\n" + paragraph(bold(summary(command, result), look), width, 0);
  if (result.counts.executions > result.counts.inconclusive) {
    text += paragraph(coverage(command, result), width, 0);
  }
  if (const std::string next = what_next(command, result); !next.empty()) {
    text += paragraph(next, width, 0);
  }
  return text;
}

nlohmann::ordered_json fuzz_json(const FuzzCommand& command, const FuzzResult& result) {
  const FuzzCounts& counts = result.counts;
  const Interval interval = wilson95(counts.failing, counts.executions);
  nlohmann::ordered_json json = {{"command", "fuzz"},
                                 {"strategy", command.program.strategy},
                                 {"executions", counts.executions},
                                 {"failing", counts.failing},
                                 {"executions_per_second", per_second(result)},
                                 {"findings", nlohmann::ordered_json::array()}};
  for (const FailureGroup& finding : result.findings)
    json["findings"].push_back(finding_json(finding));
  json["passed"] = counts.executions - counts.failing - counts.inconclusive;
  json["inconclusive"] = counts.inconclusive;
  json["inconclusive_reasons"] = notes_json(result.inconclusive);
  json["misuses"] = notes_json(result.misuses);
  json["failing_rate"] = nullptr;
  if (command.keep_going && counts.executions > 0) {
    json["failing_rate"] = {
        {"value", static_cast<double>(counts.failing) / static_cast<double>(counts.executions)},
        {"low", interval.low},
        {"high", interval.high}};
  }
  json["first_seed"] = command.program.seed;
  json["threads"] = counts.threads;
  json["steps"] = counts.steps;
  json["schedules"] = counts.schedules;
  json["pct_length"] = result.pct_steps;
  json["seconds"] = result.seconds;
  json["profile_seconds"] = result.profile_seconds;
  json["interrupted"] = result.interrupted;
  json["racing_places"] = result.aims ? result.aims->size() : 0;
  if (result.pursues || !result.pursued.empty()) json.update(pursued_json(result));
  return json;
}

int fuzz_exit_status(const FuzzResult& result) {
  if (result.counts.failing > 0) return kFailingFound;
  for (const CandidateTally& pursued : result.pursued) {
    if (pursued.confirmation.confirmed) return kFailingFound;
  }
  if (result.pursues && result.pursued.empty()) return kNothingFound;
  return result.counts.inconclusive == result.counts.executions ? kInconclusiveEnd : kNothingFound;
}

}  // namespace raddle
