// --sarif FILE, --format sarif: SARIF 2.1.0, which code scanning and editors read. A finding is a
// result; its execution is a code flow with a thread flow for each thread.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/report/document/source_root.hpp"
#include "host/report/formats/format.hpp"
#include "host/report/formats/severity.hpp"
#include "host/report/sarif/rules.hpp"

namespace raddle {
namespace {

using nlohmann::ordered_json;

ordered_json text(const std::string& words) { return {{"text", words}}; }

class Sarif {
 public:
  explicit Sarif(const Document& document) : document_(document), root_(source_root(document)) {}

  ordered_json write() {
    ordered_json results = ordered_json::array();
    for (std::size_t i = 0; i < document_.findings.size(); ++i) {
      const DocumentFinding& finding = document_.findings[i];
      if (finding.part_of == 0) results.push_back(result(finding, i + 1));
    }
    ordered_json run;
    run["tool"] = {{"driver",
                    {{"name", "Raddle"},
                     {"version", RADDLE_VERSION},
                     {"semanticVersion", RADDLE_VERSION},
                     {"rules", std::move(rules_)}}}};
    run["invocations"] = ordered_json::array({invocation()});
    run["originalUriBaseIds"] = {{"SRCROOT", {{"uri", file_uri(root_)}}}};
    run["columnKind"] = "utf16CodeUnits";
    run["results"] = std::move(results);
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", ordered_json::array({std::move(run)})}};
  }

 private:
  ordered_json invocation() const {
    ordered_json notes = ordered_json::array();
    for (const std::string& note : document_.notes)
      notes.push_back({{"level", "note"}, {"message", text(note)}});
    const bool has_verdict = document_.verdict == DocumentVerdict::kNothingFound ||
                             document_.verdict == DocumentVerdict::kFound;
    return {{"executionSuccessful", has_verdict},
            {"toolExecutionNotifications", std::move(notes)},
            {"properties",
             {{"command", document_.command},
              {"program", document_.program},
              {"arguments", document_.arguments},
              {"covered", document_.covered}}}};
  }

  // The index of the kind's rule, which is made when it is first met.
  std::size_t rule(const std::string& kind) {
    const auto known = std::find(kinds_.begin(), kinds_.end(), kind);
    if (known != kinds_.end()) return static_cast<std::size_t>(known - kinds_.begin());
    kinds_.push_back(kind);
    rules_.push_back({{"id", "raddle/" + kind},
                      {"name", kind},
                      {"shortDescription", text(std::string(kind_summary(kind)))},
                      {"defaultConfiguration", {{"level", "error"}}},
                      {"properties", {{"tags", {"concurrency"}}}}});
    return kinds_.size() - 1;
  }

  ordered_json physical(const Where& where) const {
    const SourceUri source = source_uri(root_, where.file);
    ordered_json artifact = {{"uri", source.uri}};
    if (source.relative) artifact["uriBaseId"] = "SRCROOT";
    ordered_json json = {{"artifactLocation", std::move(artifact)}};
    json["region"] = {{"startLine", std::max<std::uint32_t>(where.line, 1)}};
    return json;
  }

  // The same for code scanning, which refuses a file with a place that is in none: what is known of
  // it, then, is that it is in the program.
  ordered_json place(const Where& where, const std::string& words) const {
    ordered_json json = location(where, words);
    if (where.file.empty() && !document_.program.empty())
      json["physicalLocation"] = physical({document_.program, 1, {}});
    return json;
  }

  ordered_json location(const Where& where, const std::string& words) const {
    ordered_json json = ordered_json::object();
    if (!where.file.empty()) json["physicalLocation"] = physical(where);
    if (!where.function.empty()) {
      json["logicalLocations"] =
          ordered_json::array({{{"fullyQualifiedName", where.function}, {"kind", "function"}}});
    }
    if (!words.empty()) json["message"] = text(words);
    return json;
  }

  static std::string message_of(const DocumentFinding& finding) {
    std::string words = finding.message;
    if (!finding.title.empty()) words += ". " + finding.title;
    for (const std::string& sentence : finding.sentences) words += "\n" + sentence;
    if (!finding.suggestion.empty()) words += "\nSuggestion: " + finding.suggestion;
    return words;
  }

  // A place that code scanning can show: that of the finding, else of its last step that has one.
  static Where place_of(const DocumentFinding& finding) {
    if (!finding.where.file.empty()) return finding.where;
    const std::vector<DocumentStep>& steps = finding.execution.steps;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (!step->where.file.empty()) return step->where;
    }
    return finding.where;
  }

  std::string fingerprint(const DocumentFinding& finding) {
    std::string id = finding.id;
    if (id.empty()) id = finding.kind + ":" + finding.message;
    const auto times = std::count(ids_.begin(), ids_.end(), id);
    ids_.push_back(id);
    return times == 0 ? id : fmt::format("{}/{}", id, times + 1);
  }

  ordered_json thread_flow(const DocumentExecution& execution, const DocumentThread& thread) const {
    ordered_json locations = ordered_json::array();
    for (std::size_t i = 0; i < execution.steps.size(); ++i) {
      const DocumentStep& step = execution.steps[i];
      if (step.thread != thread.id) continue;
      locations.push_back({{"location", place(step.where, step.what)},
                           {"executionOrder", i + 1},
                           {"importance", step.violates   ? "essential"
                                          : step.explains ? "important"
                                                          : "unimportant"},
                           {"properties", {{"step", raw(step.step)}}}});
    }
    if (locations.empty()) return nullptr;
    return {{"id", fmt::format("T{}", raw(thread.id))},
            {"message", text(thread.title)},
            {"locations", std::move(locations)}};
  }

  ordered_json code_flows(const DocumentFinding& finding) const {
    ordered_json threads = ordered_json::array();
    for (const DocumentThread& thread : finding.execution.threads) {
      ordered_json flow = thread_flow(finding.execution, thread);
      if (!flow.is_null()) threads.push_back(std::move(flow));
    }
    if (threads.empty()) return nullptr;
    return ordered_json::array(
        {{{"message", text("the threads' steps, in the order of executionOrder")},
          {"threadFlows", std::move(threads)}}});
  }

  ordered_json stacks(const DocumentFinding& finding) const {
    ordered_json stacks = ordered_json::array();
    for (const DocumentThread& thread : finding.execution.threads) {
      if (thread.stack.empty()) continue;
      ordered_json frames = ordered_json::array();
      for (const Frame& frame : thread.stack)
        frames.push_back({{"location", location(frame.where, {})}, {"module", frame.module}});
      stacks.push_back(
          {{"message", text(thread.title + " " + thread.doing)}, {"frames", std::move(frames)}});
    }
    return stacks;
  }

  // `number`: of the finding, in all reports of this document.
  ordered_json result(const DocumentFinding& finding, std::size_t number) {
    const std::size_t index = rule(finding.kind);
    ordered_json json = {{"ruleId", "raddle/" + finding.kind},
                         {"ruleIndex", index},
                         {"level", severity_text(severity_of(finding))},
                         {"message", text(message_of(finding))}};
    json["locations"] = ordered_json::array({place(place_of(finding), {})});
    json["partialFingerprints"] = {{"raddleFinding/v1", fingerprint(finding)}};
    if (ordered_json flows = code_flows(finding); !flows.is_null())
      json["codeFlows"] = std::move(flows);
    if (ordered_json list = stacks(finding); !list.empty()) json["stacks"] = std::move(list);
    json["properties"] = {{"level", finding_level_text(finding.level)},
                          {"counts", finding.counts},
                          {"cause", finding.cause},
                          {"object", finding.object},
                          {"executions", finding.count},
                          {"number", number},
                          {"replay", finding.replay}};
    return json;
  }

  const Document& document_;
  const std::string root_;
  ordered_json rules_ = ordered_json::array();
  std::vector<std::string> kinds_;  // of rules_
  std::vector<std::string> ids_;    // given so far
};

std::string write(const Document& document, const TextOptions&) {
  return Sarif(document).write().dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace

const Format sarif_format{.name = "sarif",
                          .summary = "SARIF 2.1.0",
                          .owns_output = true,
                          .to_file = "for code scanning and editors",
                          .write = write};

}  // namespace raddle
