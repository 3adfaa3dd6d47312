#include "host/report/html/page_data.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/report/html/column.hpp"
#include "host/report/html/sources.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/control/control_words.hpp"

namespace raddle {
namespace {

using nlohmann::ordered_json;

const char* verdict_text(DocumentVerdict verdict) {
  switch (verdict) {
    case DocumentVerdict::kNothingFound:
      return "nothing";
    case DocumentVerdict::kFound:
      return "found";
    case DocumentVerdict::kBadInput:
      return "bad";
    case DocumentVerdict::kInconclusive:
      return "inconclusive";
  }
  return "inconclusive";
}

class PageData {
 public:
  explicit PageData(const Document& document) : document_(document) {}

  ordered_json write() {
    ordered_json findings = ordered_json::array();
    for (const DocumentFinding& one : document_.findings) findings.push_back(finding(one));
    ordered_json counts = ordered_json::array();
    for (const DocumentCount& count : document_.counts)
      counts.push_back({{"what", count.what}, {"number", count.number}});
    ordered_json all_traces = traces();  // before the sources, which it adds to
    return {{"version", RADDLE_VERSION},
            {"command", document_.command},
            {"program", document_.program},
            {"arguments", document_.arguments},
            {"command_line", document_.command_line},
            {"build", document_.build},
            {"verdict", verdict_text(document_.verdict)},
            {"covered", document_.covered},
            {"not_covered", not_covered()},
            {"notes", document_.notes},
            {"problems", document_.problems},
            {"counts", std::move(counts)},
            {"seconds", document_.seconds},
            {"findings", std::move(findings)},
            {"traces", std::move(all_traces)},
            {"sources", document_.with_sources ? sources_.json() : ordered_json::array()}};
  }

 private:
  std::vector<std::string> not_covered() const {
    std::vector<std::string> words;
    if (!document_.not_covered.empty()) words.push_back(document_.not_covered);
    if (!document_.out_of_control) return words;
    for (const std::string& one : control_words(*document_.out_of_control, tool_name()))
      words.push_back(one);
    return words;
  }

  ordered_json traces() {
    ordered_json list = ordered_json::array();
    for (const DocumentTrace& trace : document_.traces) {
      ordered_json threads = ordered_json::array();
      for (const DocumentThread& one : trace.threads)
        threads.push_back({{"id", raw(one.id)}, {"title", one.title}});
      ordered_json places = ordered_json::array();
      for (const Where& where : trace.places) places.push_back(place(where));
      list.push_back({{"file", trace.file},
                      {"problem", trace.problem},
                      {"count", trace.lane.size()},
                      {"threads", std::move(threads)},
                      {"words", trace.words},
                      {"objects", trace.objects},
                      {"places", std::move(places)},
                      {"columns",
                       {{"lane", column_json(trace.lane)},
                        {"words", column_json(trace.words_of)},
                        {"object", column_json(trace.object)},
                        {"place", column_json(trace.place)},
                        {"step", column_json(trace.step)}}}});
    }
    return list;
  }

  ordered_json place(const Where& where) {
    sources_.add(where);
    return {{"file", where.file}, {"line", where.line}, {"function", where.function}};
  }

  ordered_json thread(const DocumentThread& thread) {
    ordered_json stack = ordered_json::array();
    for (const Frame& frame : thread.stack)
      stack.push_back({{"file", frame.where.file},
                       {"line", frame.where.line},
                       {"function", frame.where.function}});
    return {{"id", raw(thread.id)},
            {"title", thread.title},
            {"doing", thread.doing},
            {"stack", std::move(stack)}};
  }

  ordered_json step(const DocumentStep& step) {
    ordered_json stack = ordered_json::array();
    for (const Where& where : step.stack)
      stack.push_back({{"file", where.file}, {"line", where.line}, {"function", where.function}});
    return {{"thread", raw(step.thread)}, {"step", raw(step.step)},    {"what", step.what},
            {"where", place(step.where)}, {"object", step.object},     {"stack", std::move(stack)},
            {"explains", step.explains},  {"violates", step.violates}, {"preempts", step.preempts}};
  }

  ordered_json execution(const DocumentExecution& execution) {
    ordered_json json = {{"threads", ordered_json::array()},
                         {"steps", ordered_json::array()},
                         {"spans", ordered_json::array()},
                         {"orders", ordered_json::array()},
                         {"left_out", execution.left_out}};
    for (const DocumentThread& one : execution.threads) json["threads"].push_back(thread(one));
    for (const DocumentStep& one : execution.steps) json["steps"].push_back(step(one));
    for (const DocumentSpan& span : execution.spans) {
      json["spans"].push_back({{"thread", raw(span.thread)},
                               {"object", span.object},
                               {"from", span.from},
                               {"to", span.to},
                               {"waits", span.waits},
                               {"shared", span.shared},
                               {"open", span.open}});
    }
    for (const DocumentOrder& order : execution.orders)
      json["orders"].push_back({{"from", order.from}, {"to", order.to}, {"why", order.why}});
    return json;
  }

  ordered_json finding(const DocumentFinding& finding) {
    ordered_json json = {{"level", finding_level_text(finding.level)},
                         {"counts", finding.counts},
                         {"kind", finding.kind},
                         {"message", finding.message},
                         {"where", place(finding.where)},
                         {"id", finding.id},
                         {"count", finding.count},
                         {"of", finding.of},
                         {"object", finding.object},
                         {"cause", finding.cause},
                         {"title", finding.title},
                         {"sentences", finding.sentences},
                         {"suggestion", finding.suggestion},
                         {"thread", raw(finding.thread)},
                         {"printed", finding.printed},
                         {"told", finding.told},
                         {"replay", finding.replay},
                         {"execution", execution(finding.execution)},
                         {"passing", nullptr}};
    if (finding.part_of != 0) {
      const std::string same = fmt::format("the same cause as finding {}", finding.part_of);
      json["title"] = finding.title.empty() ? same : fmt::format("{}; {}", finding.title, same);
    }
    if (finding.passing) json["passing"] = execution(*finding.passing);
    return json;
  }

  const Document& document_;
  ShownSources sources_;
};

}  // namespace

nlohmann::ordered_json page_data(const Document& document) { return PageData(document).write(); }

}  // namespace raddle
