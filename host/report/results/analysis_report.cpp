#include "host/report/results/analysis_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/document/findings.hpp"
#include "host/report/finding_json.hpp"

namespace raddle {

std::map<int, std::size_t> pattern_counts(const FilteredFindings& filtered) {
  std::map<int, std::size_t> counts;
  for (const Finding* finding : filtered.findings)
    if (finding->kind == FindingKind::atomic_set) ++counts[finding->pattern];
  return counts;
}

nlohmann::ordered_json analysis_json(const Analysis& analysis, const FilteredFindings& filtered) {
  using nlohmann::ordered_json;
  const Pipeline& pipeline = analysis.pipeline;
  const auto texts = [](const std::vector<std::string>& lines) {
    ordered_json array = ordered_json::array();
    for (const std::string& line : lines) array.push_back(printable(line));
    return array;
  };
  ordered_json json;
  json["instrumented"] = analysis.instrumented;
  json["unseen"] = texts(pipeline.state().unseen());
  json["events"] = pipeline.state().events();
  json["detectors"] = working_detectors(analysis.options, analysis.instrumented);
  json["findings"] = ordered_json::array();
  StorySources sources;
  for (const Finding* finding : filtered.findings)
    json["findings"].push_back(finding_json(describe(*finding, pipeline.names(), sources)));
  json["suppressed"] = filtered.suppressed;
  json["known"] = filtered.known;
  json["minor"] = filtered.minor;
  if (pipeline.block_counts())
    json["blocks"] = {{"entered", pipeline.block_counts()->entered},
                      {"atomic", pipeline.block_counts()->atomic}};
  if (const std::map<int, std::size_t> patterns = pattern_counts(filtered); !patterns.empty()) {
    json["patterns"] = ordered_json::object();
    for (const auto& [pattern, count] : patterns) json["patterns"][std::to_string(pattern)] = count;
  }
  json["unused_suppressions"] = texts(filtered.unused);
  json["notes"] = texts(pipeline.notes());
  json["problems"] = texts(pipeline.problems());
  json["problem_count"] = pipeline.state().problem_count();
  return json;
}

void add_analysis(Document& document, const Analysis& analysis, const FilteredFindings& filtered) {
  const Pipeline& pipeline = analysis.pipeline;
  StorySources sources;
  for (const Finding* finding : filtered.findings) {
    document.findings.push_back(finding_of(describe(*finding, pipeline.names(), sources)));
    document.findings.back().counts = analysis.strict || !rests_on_inference(*finding);
  }
  const bool counts = std::any_of(
      filtered.findings.begin(), filtered.findings.end(),
      [&](const Finding* finding) { return analysis.strict || !rests_on_inference(*finding); });
  if (counts) document.verdict = DocumentVerdict::kFound;
  document.counts.push_back({"events", pipeline.state().events()});
  document.counts.push_back({"suppressed", filtered.suppressed});
  document.counts.push_back({"known", filtered.known});
  document.covered = analysis.covered;
  for (const std::string& note : pipeline.notes()) document.notes.push_back(printable(note));
}

}  // namespace raddle
