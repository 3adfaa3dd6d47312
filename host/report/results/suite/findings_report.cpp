#include "host/report/results/suite/findings_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

bool is_open(const ListedFinding& one) {
  return one.state == FindingState::kOpen || one.state == FindingState::kBack;
}

std::string state_word(const ListedFinding& one) {
  if (one.state == FindingState::kOpen && one.is_new) return "new";
  return finding_state_text(one.state);
}

std::string short_commit(const std::string& commit) {
  constexpr std::size_t kShort = 12;
  const std::size_t dash = commit.find('-');
  if (dash == std::string::npos) return commit.substr(0, kShort);
  return commit.substr(0, std::min(dash, kShort)) + commit.substr(dash);
}

// The look that showed it last.
const FindingLook* last_sighting(const FindingHistory& history) {
  const FindingLook* last = nullptr;
  for (const FindingLook& look : history.looks)
    if (look.times > 0) last = &look;
  return last;
}

std::string replay_path(const FindingsReport& report, const FindingHistory& history) {
  return history.replay.empty() ? "" : report.folder + "/" + history.replay;
}

std::string line_text(const FindingsReport& report, const ListedFinding& one,
                      const TextOptions& look) {
  const FindingHistory& history = one.history;
  std::string level = history.level;
  std::transform(level.begin(), level.end(), level.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  std::string text = paragraph(fmt::format("{:<10} {:>3}  {}  {}", state_word(one), history.id,
                                           bold(level, look), history.message),
                               static_cast<std::size_t>(look.width), 0);
  std::string more = "test " + history.test;
  if (const FindingLook* last = last_sighting(history))
    more += fmt::format("; in {} of {}", grouped(static_cast<std::uint64_t>(last->times)),
                        counted(last->executions, "execution"));
  if (!history.first_commit.empty())
    more += "; first at commit " + short_commit(history.first_commit);
  if (history.last_commit != history.first_commit && !history.last_commit.empty())
    more += ", last at " + short_commit(history.last_commit);
  const std::uint64_t left = executions_until_fixed(history.looks);
  if (is_open(one) && !history.looks.empty() && history.looks.back().times == 0)
    more += fmt::format("; not seen since, and {} more without it would say that it is fixed",
                        counted(left, "execution"));
  text += paragraph(more, static_cast<std::size_t>(look.width), 16);
  if (const std::string path = replay_path(report, history); !path.empty())
    text += fmt::format("{:16}{} replay {}\n", "", tool_name(), shell_quoted(path));
  return text;
}

struct Counts {
  std::uint64_t open = 0, fresh = 0, back = 0, fixed = 0;
};

Counts counts_of(const FindingsReport& report) {
  Counts counts;
  for (const ListedFinding& one : report.findings) {
    counts.open += is_open(one);
    counts.fresh += one.state == FindingState::kOpen && one.is_new;
    counts.back += one.state == FindingState::kBack;
    counts.fixed += one.state == FindingState::kFixed;
  }
  return counts;
}

std::string text_of(const FindingsReport& report, const TextOptions& look) {
  const Counts counts = counts_of(report);
  std::string text = fmt::format("raddle: {}  {}{}\n", bold(report.store, look),
                                 counted(report.campaigns, "campaign"),
                                 report.since.empty() ? "" : ", since " + report.since);
  for (const ListedFinding& one : report.findings) text += "\n" + line_text(report, one, look);
  text += "\n" + bold(fmt::format("{} open ({} new, {} back again), {} fixed", counts.open,
                                  counts.fresh, counts.back, counts.fixed),
                      look);
  return text + "\n";
}

nlohmann::ordered_json json_of(const FindingsReport& report) {
  const Counts counts = counts_of(report);
  nlohmann::ordered_json json = {{"command", "findings"},         {"store", report.store},
                                 {"campaigns", report.campaigns}, {"since", nullptr},
                                 {"open", counts.open},           {"new", counts.fresh},
                                 {"back_again", counts.back},     {"fixed", counts.fixed}};
  if (!report.since.empty()) json["since"] = report.since;
  json["findings"] = nlohmann::ordered_json::array();
  for (const ListedFinding& one : report.findings) {
    const FindingHistory& history = one.history;
    const FindingLook* last = last_sighting(history);
    nlohmann::ordered_json object = {{"id", history.id},
                                     {"state", finding_state_text(one.state)},
                                     {"new", one.is_new},
                                     {"test", history.test},
                                     {"kind", history.kind},
                                     {"level", history.level},
                                     {"message", history.message},
                                     {"key", history.key},
                                     {"times", last == nullptr ? 0 : last->times},
                                     {"of", last == nullptr ? 0 : last->executions},
                                     {"until_fixed", executions_until_fixed(history.looks)},
                                     {"first_commit", history.first_commit},
                                     {"last_commit", history.last_commit},
                                     {"replay", nullptr}};
    if (const std::string path = replay_path(report, history); !path.empty())
      object["replay"] = path;
    json["findings"].push_back(std::move(object));
  }
  return json;
}

}  // namespace

Document document_of(const FindingsReport& report) {
  const Counts counts = counts_of(report);
  Document document;
  document.command = "findings";
  document.program = report.store;
  document.verdict = counts.open > 0 ? DocumentVerdict::kFound : DocumentVerdict::kNothingFound;
  for (const ListedFinding& one : report.findings) {
    if (!is_open(one)) continue;
    DocumentFinding finding;
    finding.level = find_finding_level(one.history.level).value_or(FindingLevel::kFailing);
    finding.kind = one.history.kind;
    finding.message = one.history.message;
    finding.replay = replay_path(report, one.history);
    if (const FindingLook* last = last_sighting(one.history)) {
      finding.count = last->times;
      finding.of = last->executions;
    }
    document.findings.push_back(std::move(finding));
  }
  document.counts = {{"open", counts.open},
                     {"new", counts.fresh},
                     {"back again", counts.back},
                     {"fixed", counts.fixed}};
  document.text = [&report](const TextOptions& look) { return text_of(report, look); };
  document.json = [&report] { return json_of(report); };
  return document;
}

}  // namespace raddle
