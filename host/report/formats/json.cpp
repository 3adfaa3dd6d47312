// --format json: one JSON object; docs/json.md has its members. A trace is one object a line.
#include <nlohmann/json.hpp>

#include "host/report/formats/format.hpp"
#include "host/report/trace_json.hpp"

namespace raddle {
namespace {

std::string write(const Document& document, const TextOptions&) {
  return document.json().dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::unique_ptr<FilteredTrace> trace(const TraceFilter& filter, const TextOptions&,
                                     const TextOut& out) {
  return std::make_unique<TraceJson>(filter, out);
}

}  // namespace

const Format json_format{
    .name = "json", .summary = "for programs", .owns_output = true, .write = write, .trace = trace};

}  // namespace raddle
