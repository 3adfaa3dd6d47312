// --format json: one JSON object; docs/json.md has its members. A trace is one object a line.
#include <nlohmann/json.hpp>

#include "host/report/formats/format.hpp"
#include "host/report/trace_json.hpp"

namespace raddle {
namespace {

nlohmann::ordered_json out_of_control_json(const OutOfControl& out_of_control) {
  return {{"child_processes", out_of_control.children},
          {"commands", out_of_control.commands},
          {"replaced_by", out_of_control.replacements},
          {"threads_by_clone", out_of_control.clones},
          {"timed_waits", out_of_control.timed_waits},
          {"close_waits", out_of_control.close_waits},
          {"kernel_timers", out_of_control.kernel_timers},
          {"forked_because", out_of_control.forked_because}};
}

std::string write(const Document& document, const TextOptions&) {
  nlohmann::ordered_json json = document.json();
  if (!document.not_covered.empty()) json["not_covered"] = document.not_covered;
  if (document.out_of_control)
    json["out_of_control"] = out_of_control_json(*document.out_of_control);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::unique_ptr<FilteredTrace> trace(const TraceFilter& filter, const TextOptions&,
                                     const TextOut& out) {
  return std::make_unique<TraceJson>(filter, out);
}

}  // namespace

const Format json_format{
    .name = "json", .summary = "for programs", .owns_output = true, .write = write, .trace = trace};

}  // namespace raddle
