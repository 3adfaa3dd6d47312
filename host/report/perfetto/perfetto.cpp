// --perfetto FILE, --format perfetto: a trace in Chrome's JSON, which ui.perfetto.dev and
// chrome://tracing open. A finding is a process, its threads are tracks, steps are slices one
// after another; locks are slices of their own, and flows show what ordered what.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/report/formats/format.hpp"

namespace raddle {
namespace {

using nlohmann::ordered_json;

// A step has no length: on the screen each takes as long as any other. In microseconds.
constexpr std::uint64_t kStepTime = 10;
constexpr std::uint64_t kSliceTime = 8;

class Trace {
 public:
  void add(const DocumentFinding& finding, std::size_t number) {
    process_ = number;
    const DocumentExecution& execution = finding.execution;
    name("process_name", 0,
         fmt::format("{}. {} {}", number, finding_level_text(finding.level), finding.message));
    for (const DocumentThread& thread : execution.threads) {
      name("thread_name", track(thread.id), thread.title);
      ordered_json order = event("M", "thread_sort_index", track(thread.id), 0);
      order["args"] = {{"sort_index", raw(thread.id)}};
      events_.push_back(std::move(order));
    }
    for (std::size_t i = 0; i < execution.steps.size(); ++i) add_step(execution.steps[i], i);
    for (const DocumentSpan& span : execution.spans) add_span(span, execution.steps.size());
    for (const DocumentOrder& order : execution.orders) add_flow(execution, order);
  }

  ordered_json take() { return std::move(events_); }

 private:
  // Number 0 means "no thread" to some readers.
  static std::uint64_t track(ThreadId id) { return std::uint64_t{raw(id)} + 1; }

  ordered_json event(const char* phase, const std::string& name, std::uint64_t track,
                     std::uint64_t time) const {
    return {{"ph", phase}, {"name", name}, {"pid", process_}, {"tid", track}, {"ts", time}};
  }

  void name(const char* what, std::uint64_t track, const std::string& text) {
    ordered_json named = event("M", what, track, 0);
    named["args"] = {{"name", text}};
    events_.push_back(std::move(named));
  }

  void add_step(const DocumentStep& step, std::size_t index) {
    ordered_json slice = event("X", step.what, track(step.thread), index * kStepTime);
    slice["cat"] = step.violates ? "violation" : step.explains ? "explained" : "step";
    slice["dur"] = kSliceTime;
    slice["args"] = {{"step", raw(step.step)}, {"where", place_text(step.where)}};
    if (step.preempts) slice["args"]["preemption"] = true;
    if (step.violates) slice["cname"] = "terrible";
    events_.push_back(std::move(slice));
  }

  // Locks need not be released in the order in which they are taken, so these do not nest.
  void add_span(const DocumentSpan& span, std::size_t steps) {
    const std::string what =
        (span.waits ? "waits for " : "has ") + (span.object.empty() ? "a lock" : span.object);
    const std::uint64_t from = span.from * kStepTime + (span.waits ? kSliceTime : 0);
    const std::uint64_t to =
        (span.open ? steps : span.to) * kStepTime + (span.waits ? 0 : kSliceTime);
    ++id_;
    for (const auto& [phase, time] : {std::pair{"b", from}, {"e", std::max(from, to)}}) {
      ordered_json half = event(phase, what, track(span.thread), time);
      half["cat"] = span.waits ? "wait" : "lock";
      half["id"] = id_;
      events_.push_back(std::move(half));
    }
  }

  void add_flow(const DocumentExecution& execution, const DocumentOrder& order) {
    ++id_;
    ordered_json from = event("s", order.why, track(execution.steps[order.from].thread),
                              order.from * kStepTime + kSliceTime / 2);
    ordered_json to = event("f", order.why, track(execution.steps[order.to].thread),
                            order.to * kStepTime + kSliceTime / 2);
    from["cat"] = to["cat"] = "order";
    from["id"] = to["id"] = id_;
    to["bp"] = "e";
    events_.push_back(std::move(from));
    events_.push_back(std::move(to));
  }

  ordered_json events_ = ordered_json::array();
  std::uint64_t process_ = 1;
  std::uint64_t id_ = 0;
};

std::string write(const Document& document, const TextOptions&) {
  Trace trace;
  for (std::size_t i = 0; i < document.findings.size(); ++i) {
    const DocumentFinding& finding = document.findings[i];
    const bool shown = finding.part_of == 0 && !finding.execution.steps.empty();
    if (shown) trace.add(finding, i + 1);
  }
  const ordered_json json = {{"displayTimeUnit", "ns"},
                             {"otherData",
                              {{"tool", "raddle " RADDLE_VERSION},
                               {"command", document.command},
                               {"program", document.program}}},
                             {"traceEvents", trace.take()}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

const Format perfetto_format{.name = "perfetto",
                             .summary = "a timeline",
                             .owns_output = true,
                             .to_file = "for ui.perfetto.dev and chrome://tracing",
                             .write = write};

}  // namespace raddle
