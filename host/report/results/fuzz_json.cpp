#include <nlohmann/json.hpp>

#include "host/campaign/fuzz/statistics.hpp"
#include "host/report/results/candidate_report.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/results/fuzz_report.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

nlohmann::ordered_json notes_json(const std::vector<NoteLine>& notes) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const NoteLine& note : notes) {
    list.push_back(
        {{"message", note.text}, {"count", note.count}, {"first_seed", note.first_seed}});
  }
  return list;
}

}  // namespace

nlohmann::ordered_json fuzz_json(const FuzzReport& report) {
  const FuzzResult& result = report.result;
  const FuzzCounts& counts = result.counts;
  const Interval interval = wilson95(counts.failing, counts.executions);
  nlohmann::ordered_json json = {{"command", "fuzz"},
                                 {"strategy", report.strategy},
                                 {"executions", counts.executions},
                                 {"failing", counts.failing},
                                 {"executions_per_second", executions_per_second(result)},
                                 {"findings", nlohmann::ordered_json::array()}};
  for (const FailureGroup& finding : result.findings)
    json["findings"].push_back(group_json(finding, "first_seed"));
  json["passed"] = counts.executions - counts.failing - counts.inconclusive;
  json["inconclusive"] = counts.inconclusive;
  json["inconclusive_reasons"] = notes_json(note_lines(result.inconclusive));
  json["inconclusive_replay"] =
      result.first_inconclusive ? result.first_inconclusive->replay_path : "";
  json["misuses"] = notes_json(note_lines(result.misuses));
  json["failing_rate"] = nullptr;
  if (report.keep_going && counts.executions > 0) {
    json["failing_rate"] = {
        {"value", static_cast<double>(counts.failing) / static_cast<double>(counts.executions)},
        {"low", interval.low},
        {"high", interval.high}};
  }
  json["unseen"] = nlohmann::ordered_json::array();
  for (const UnseenCode& code : result.unseen) json["unseen"].push_back(unseen_json(code));
  json["first_seed"] = report.first_seed;
  json["threads"] = counts.threads;
  json["steps"] = counts.steps;
  json["schedules"] = counts.schedules;
  json["pct_length"] = result.pct_steps;
  json["seconds"] = result.seconds;
  json["profile_seconds"] = result.profile_seconds;
  json["interrupted"] = result.interrupted;
  json["out_of_budget"] = result.out_of_budget;
  json["racing_places"] = result.aims ? result.aims->size() : 0;
  if (result.pursues || result.atomicity || !result.pursued.empty())
    json.update(pursued_json(result));
  return json;
}

}  // namespace raddle
