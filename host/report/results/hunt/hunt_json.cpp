#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/report/explanation_json.hpp"
#include "host/report/finding_json.hpp"
#include "host/report/json.hpp"
#include "host/report/results/execution_report.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/results/hunt/hunt_causes.hpp"
#include "host/report/results/hunt/hunt_report.hpp"
#include "host/report/words/circumstances/circumstance_words.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/step_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

nlohmann::ordered_json needs_json(const Circumstances& needed) {
  if (needed.none()) return nullptr;
  return {{"early_timeouts", needed.early_timeouts},
          {"early_seconds", double(needed.early_time) / 1e9},
          {"spurious_wakeups", needed.spurious_wakeups},
          {"short_transfers", needed.short_transfers},
          {"failed_allocations", needed.failed_allocations},
          {"words", circumstance_words(needed)}};
}

nlohmann::ordered_json failure_entry(const HuntFailure& failure, std::size_t part_of, bool counts) {
  nlohmann::ordered_json json = failure_json(failure.failure);
  json["part_of"] = nullptr;
  if (part_of != 0) json["part_of"] = part_of;
  json["count"] = failure.group.count;
  json["first_seed"] = failure.group.first_seed;
  json["replay"] = failure.group.replay_path;
  json["replays"] = failure.group.replays;
  json["replay_note"] = difference_words(failure.group.difference);
  json["explanation"] = explanation_json(failure.group.explanation);
  json["minimised"] = nullptr;
  if (failure.minimized) {
    json["minimised"] = {{"before", cost_json(failure.before)},
                         {"after", cost_json(failure.after)}};
  }
  json["known"] = failure.known;
  json["needs"] = needs_json(failure.needs);
  json["counts"] = counts;
  json.update(output_json(failure.smallest));
  return json;
}

nlohmann::ordered_json candidate_entry(const HuntFinding& one, std::size_t part_of) {
  nlohmann::ordered_json json;
  if (one.level != FindingLevel::kCandidate) {
    json = finding_json(one.story);
  } else {
    json = {{"level", finding_level_text(one.level)},
            {"kind", finding_kind_text(one.finding.kind)},
            {"what", one.finding.what},
            {"object", one.finding.object}};
  }
  json["level"] = finding_level_text(one.level);
  json["key"] = fmt::format("{:016x}", one.key);
  json["part_of"] = nullptr;
  if (part_of != 0) json["part_of"] = part_of;
  json["tried"] = one.tried;
  json["realised"] = one.realised;
  json["replay"] = nullptr;
  if (!one.replay_path.empty()) json["replay"] = one.replay_path;
  return json;
}

}  // namespace

nlohmann::ordered_json hunt_json(const HuntReport& report) {
  const HuntResult& result = report.result;
  nlohmann::ordered_json json = {
      {"command", "hunt"},
      {"candidates", result.candidates.size()},
      {"confirmed", count_of(result, FindingLevel::kHarmful)},
      {"seen", count_of(result, FindingLevel::kSeen) - count_of(result, FindingLevel::kHarmful)},
      {"failing", failing_causes(report)},
      {"findings", nlohmann::ordered_json::array()}};
  const std::vector<std::size_t> first = first_of_cause(result);
  for (std::size_t i = 0; i < first.size(); ++i)
    json["findings"].push_back(failure_entry(result.failures[i], first[i] == i ? 0 : first[i] + 1,
                                             counts(result.failures[i], report)));
  const std::vector<PartOf> parts = parts_of(report);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    json["findings"].push_back(
        candidate_entry(result.candidates[i], part_number(parts[i], result)));
  }
  json["misuses"] = nlohmann::ordered_json::array();
  for (const FoundMisuse& one : result.misuses) json["misuses"].push_back(misuse_json(one));
  json["native"] = native_text(report.native).empty() ? "passed" : native_text(report.native);
  json["predicted"] = nullptr;
  if (result.predicted) {
    const HuntPredicted& one = *result.predicted;
    json["predicted"] = {{"queries", one.queries},     {"unknown", one.unknown},
                         {"witnesses", one.witnesses}, {"unconfirmed", one.unconfirmed},
                         {"confirmed", one.confirmed}, {"too_late", one.too_late},
                         {"problem", nullptr}};
    if (const std::string why = no_prediction(one); !why.empty())
      json["predicted"]["problem"] = why;
  }
  json["threads"] = result.threads;
  json["instrumented"] = result.instrumented;
  json["unseen"] = nlohmann::ordered_json::array();
  for (const UnseenCode& code : result.unseen) json["unseen"].push_back(unseen_json(code));
  json["executions"] = result.executions;
  json["inconclusive"] = result.inconclusive;
  json["inconclusive_replay"] =
      result.first_inconclusive ? result.first_inconclusive->replay_path : "";
  json["earlier_executions"] = report.earlier_executions;
  json["earlier_failures"] = report.earlier_failures;
  json["schedules"] = result.schedules;
  json["complete"] = is_complete(report);
  json["covered"] = nullptr;
  if (result.covered) json["covered"] = all_of_them(explored(report));
  json["seconds"] = report.seconds;
  json["out_of_budget"] = result.out_of_budget;
  json["interrupted"] = result.interrupted;
  return json;
}

}  // namespace raddle
