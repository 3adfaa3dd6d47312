#include <nlohmann/json.hpp>

#include "host/report/results/explore_report.hpp"
#include "host/report/results/failure_group_report.hpp"
#include "host/report/words/causal_words.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

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

nlohmann::ordered_json explore_json(const ExploreReport& report) {
  const ExploreResult& result = report.result;
  const SearchCounts& counts = result.counts;
  nlohmann::ordered_json json = {{"command", "explore"},
                                 {"strategy", report.strategy},
                                 {"executions", counts.executions},
                                 {"complete", is_complete(report)},
                                 {"bound", nullptr},
                                 {"failing", counts.failing},
                                 {"findings", nlohmann::ordered_json::array()}};
  if (report.bound) json["bound"] = *report.bound;
  if (report.changes) {
    json["base"] = report.changes->base;
    json["heuristic"] = report.changes->heuristic;
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
    json["findings"].push_back(group_json(finding, "first_execution"));
  json["misuses"] = nlohmann::ordered_json::array();
  for (const FoundMisuse& one : report.misuses) json["misuses"].push_back(misuse_json(one));
  json["covered"] = coverage_text(report);
  json["end"] = end_word(result.end);
  json["racing_places"] = report.racing_places;
  json["redundant"] = counts.redundant;
  json["unfinished"] = counts.unfinished;
  json["unfinished_reasons"] = nlohmann::ordered_json::array();
  for (const NoteLine& note : note_lines(report.unfinished))
    json["unfinished_reasons"].push_back({{"message", note.text}, {"count", note.count}});
  if (result.causal) {
    json["queries"] = result.causal->queries;
    json["unknown"] = result.causal->unknown;
    json["problem"] = nullptr;
    if (result.causal->problem.kind != CausalProblem::kNone)
      json["problem"] = problem_text(result.causal->problem);
    json["library_calls"] = report.library_calls;
  }
  json["properties"] = nlohmann::ordered_json::array();
  for (const std::string& name : report.properties)
    json["properties"].push_back({{"name", name}, {"proved", proves_properties(report)}});
  if (report.delays) json["delays"] = delay_json(*report.delays);
  json["beyond_bound"] = counts.beyond_bound;
  json["by_preemptions"] = counts.by_preemptions;
  json["estimated_executions"] = nullptr;
  if (const std::uint64_t total = estimated_executions(counts, result.explored); total > 0)
    json["estimated_executions"] = result.end == ExploreEnd::kExhausted ? counts.executions : total;
  json["queued"] = result.queued;
  json["queue_bytes"] = result.queue_bytes;
  json["divergence"] = nullptr;
  if (result.divergence) {
    json["divergence"] = {{"step", result.divergence->step}, {"message", report.divergence}};
  }
  json["instrumented"] = report.instrumented;
  json["unseen"] = nlohmann::ordered_json::array();
  for (const UnseenCode& code : report.unseen) json["unseen"].push_back(unseen_json(code));
  json["threads"] = counts.threads;
  json["steps"] = counts.steps;
  json["seconds"] = result.seconds;
  json["executions_per_second"] = executions_per_second(result);
  return json;
}

}  // namespace raddle
