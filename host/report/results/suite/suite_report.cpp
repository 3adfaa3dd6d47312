#include "host/report/results/suite/suite_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/process/outcome.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

// "0.4 %", "0.002 %": two digits that mean something.
std::string share_text(double share) {
  const double percent = 100 * share;
  if (percent >= 10) return fmt::format("{:.0f} %", percent);
  if (percent >= 1) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.2g} %", percent);
}

std::string state_of(const TestState& test) {
  if (!test.probed) return "not reached";
  if (!test.problem.empty()) return "not searched: " + test.problem;
  if (test.profile.threads <= 1) return "one thread: one schedule";
  if (test.complete) return "all schedules covered";
  if (test.exhausted()) return "no new schedules any more";
  return "";
}

bool is_found(const TestState& test) { return !test.findings.empty(); }

std::uint64_t findings_in(const SuiteReport& report) {
  std::uint64_t sum = 0;
  for (const TestState& test : report.tests) sum += test.findings.size();
  return sum;
}

std::string findings_text(const SuiteReport& report, const TextOptions& look) {
  std::string text;
  const auto width = static_cast<std::size_t>(look.width);
  std::size_t number = 0;
  for (const TestState& test : report.tests) {
    for (const auto& [key, one] : test.findings) {
      std::string level = one.level;
      std::transform(level.begin(), level.end(), level.begin(),
                     [](unsigned char c) { return std::toupper(c); });
      text += "\n" + paragraph(fmt::format("{}  {}  {}", ++number, bold(level, look), one.message),
                               width, 0);
      text += paragraph(fmt::format("test {}; in {} of {}", test.test.name, grouped(one.times),
                                    counted(test.executions, "execution")),
                        width, 3);
      if (const std::string path = report.replay_of(test.test.name, key); !path.empty()) {
        text += fmt::format("   why      {} explain {}\n", tool_name(), shell_quoted(path));
        text += replay_lines(path);
      }
    }
  }
  return text;
}

// A line for each test, those with findings first, then those with the greatest risk.
std::string table_text(const SuiteReport& report, const TextOptions& look) {
  std::vector<const TestState*> order;
  order.reserve(report.tests.size());
  for (const TestState& test : report.tests) order.push_back(&test);
  std::stable_sort(order.begin(), order.end(), [](const TestState* a, const TestState* b) {
    return std::pair(!is_found(*a), -a->risk()) < std::pair(!is_found(*b), -b->risk());
  });
  std::size_t longest = 4;
  for (const TestState* test : order)
    longest = std::max(longest, std::min<std::size_t>(40, test->test.name.size()));
  std::string text = fmt::format(
      "\n{:<{}}  threads  executions  schedules  findings  new failure\n", "test", longest);
  constexpr std::size_t kMostLines = 60;
  std::size_t shown = 0;
  for (const TestState* test : order) {
    if (!look.verbose && shown++ >= kMostLines) continue;
    std::string name = test->test.name;
    if (name.size() > longest) name = name.substr(0, longest - 3) + "...";
    const std::string state = state_of(*test);
    const bool searched = !test->strategies.empty();
    const std::string risk = test->complete ? "none"
                             : searched     ? "< " + share_text(test->risk())
                                            : "-";
    text += fmt::format("{:<{}}  {:>7}  {:>10}  {:>9}  {:>8}  {:>11}{}\n", name, longest,
                        test->profile.threads, test->executions, test->schedules(),
                        test->findings.size(), risk, state.empty() ? "" : "  " + state);
    for (const std::string& note : test->notes)
      text += paragraph(note, static_cast<std::size_t>(look.width), 4);
  }
  if (shown > kMostLines)
    text += fmt::format("and {}; --json has them all\n", counted(shown - kMostLines, "more test"));
  return text;
}

// It was executed, with several threads, but the suite ended before the search drew a schedule of
// it: no figure says what risk is left.
bool is_undrawn(const TestState& test) {
  return test.problem.empty() && test.profile.threads > 1 && !test.complete &&
         test.strategies.empty();
}

std::string risk_text(const SuiteReport& report) {
  double worst = 0;
  bool some_drawn = false;
  bool some_complete = false;
  std::uint64_t undrawn = 0;
  for (const TestState& test : report.tests) {
    some_complete = some_complete || test.complete;
    undrawn += is_undrawn(test);
    if (test.complete || test.strategies.empty()) continue;
    some_drawn = true;
    worst = std::max(worst, test.risk());
  }
  if (!some_drawn && !some_complete) {
    if (undrawn == 0)
      return "Residual risk: not known, since no test with several threads was searched.";
    return "Residual risk: not known. It is judged by executions whose schedules the search draws, "
           "and the suite ended before the first of these: those before are recorded ones, tries "
           "for what these showed, and schedules in order.";
  }
  std::string text;
  if (some_drawn) {
    text = fmt::format(
        "Residual risk: of every test that was searched{}, with each strategy, the next execution "
        "fails in a new way with a probability below {} (95 % confidence). That is of executions "
        "drawn as these were: not of other inputs, and not of other strategies.",
        some_complete ? ", but for those whose schedules are all covered" : "", share_text(worst));
  } else {
    text =
        "Residual risk: none of schedules, in the tests that were searched: all were covered, as "
        "raddle explore covers them. Other inputs may have others.";
  }
  if (undrawn > 0)
    text += fmt::format(
        " Of {} with several threads it is not known: the suite ended before the search drew a "
        "schedule.",
        counted(undrawn, "more test"));
  return text;
}

std::string text_of(const SuiteReport& report, const TextOptions& look) {
  const auto width = static_cast<std::size_t>(look.width);
  std::uint64_t executions = 0;
  std::uint64_t unsearched = 0;
  for (const TestState& test : report.tests) {
    executions += test.executions;
    unsearched += !test.problem.empty();
  }
  std::string text = fmt::format("raddle: suite of {}, {}\n", counted(report.tests.size(), "test"),
                                 counted(report.workers, "worker"));
  text += findings_text(report, look);
  text += table_text(report, look);
  for (const std::string& one : report.left_out) text += paragraph("left out: " + one, width, 0);
  const std::uint64_t findings = findings_in(report);
  text +=
      "\n" +
      paragraph(
          bold(fmt::format("{} in {}; {}, {}{}{}.",
                           findings == 0 ? "Nothing found" : counted(findings, "finding"),
                           counted(report.tests.size(), "test"), counted(executions, "execution"),
                           duration_text(report.seconds), report.interrupted ? ", interrupted" : "",
                           unsearched == 0
                               ? ""
                               : fmt::format("; {} not searched", counted(unsearched, "test"))),
               look),
          width, 0);
  text += paragraph(risk_text(report), width, 0);
  text += paragraph(fmt::format("More of it: raddle findings {}", shell_quoted(report.folder)),
                    width, 0);
  return text;
}

nlohmann::ordered_json json_of(const SuiteReport& report) {
  nlohmann::ordered_json json = {{"command", "suite"},
                                 {"folder", report.folder},
                                 {"workers", report.workers},
                                 {"items", report.items},
                                 {"interrupted", report.interrupted},
                                 {"out_of_budget", report.out_of_budget},
                                 {"seconds", report.seconds},
                                 {"left_out", report.left_out}};
  json["tests"] = nlohmann::ordered_json::array();
  for (const TestState& test : report.tests) {
    nlohmann::ordered_json strategies = nlohmann::ordered_json::object();
    for (const auto& [name, tally] : test.strategies) {
      strategies[name] = {{"executions", tally.schedules.draws()},
                          {"schedules", tally.schedules.different()},
                          {"schedules_once", tally.schedules.once()},
                          {"risk", residual_risk(tally.outcomes)},
                          {"schedule_risk", residual_risk(tally.schedules)}};
    }
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const auto& [key, one] : test.findings) {
      const std::string path = report.replay_of(test.test.name, key);
      findings.push_back({{"key", key},
                          {"kind", one.kind},
                          {"level", one.level},
                          {"message", one.message},
                          {"first_plan", one.index},
                          {"times", one.times},
                          {"replay", nullptr}});
      if (!path.empty()) findings.back()["replay"] = path;
    }
    json["tests"].push_back({{"name", test.test.name},
                             {"problem", nullptr},
                             {"notes", test.notes},
                             {"threads", test.profile.threads},
                             {"executions", test.executions},
                             {"failing", test.failing},
                             {"inconclusive", test.inconclusive},
                             {"schedules", test.schedules()},
                             {"candidates", test.candidates.size()},
                             {"changed", test.changed},
                             {"exhausted", test.exhausted()},
                             {"complete", test.complete},
                             {"risk", test.risk()},
                             {"schedule_risk", test.schedule_risk()},
                             {"outcomes", fmt::format("{:016x}", test.digest)},
                             {"seconds", test.seconds},
                             {"strategies", std::move(strategies)},
                             {"findings", std::move(findings)}});
    if (!test.problem.empty()) json["tests"].back()["problem"] = test.problem;
  }
  return json;
}

}  // namespace

Document document_of(const SuiteReport& report) {
  Document document;
  document.command = "suite";
  document.program = report.folder;
  std::uint64_t executions = 0;
  bool doubt = report.interrupted;
  for (const TestState& test : report.tests) {
    executions += test.executions;
    doubt = doubt || !test.problem.empty() || test.inconclusive > 0 || !test.probed;
    if (!test.problem.empty()) document.notes.push_back(test.test.name + ": " + test.problem);
    for (const auto& [key, one] : test.findings) {
      DocumentFinding finding;
      finding.level = find_finding_level(one.level).value_or(FindingLevel::kFailing);
      finding.kind = one.kind;
      finding.message = test.test.name + ": " + one.message;
      finding.count = one.times;
      finding.of = test.executions;
      finding.replay = report.replay_of(test.test.name, key);
      document.findings.push_back(std::move(finding));
    }
  }
  document.verdict = !document.findings.empty() ? DocumentVerdict::kFound
                     : doubt                    ? DocumentVerdict::kInconclusive
                                                : DocumentVerdict::kNothingFound;
  document.counts = {{"tests", report.tests.size()},
                     {"executions", executions},
                     {"findings", findings_in(report)}};
  document.seconds = report.seconds;
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
