// --format text: what a person reads.
#include "host/report/formats/format.hpp"
#include "host/report/trace_text.hpp"

namespace raddle {
namespace {

std::string write(const Document& document, const TextOptions& look) { return document.text(look); }

std::unique_ptr<FilteredTrace> trace(const TraceFilter& filter, const TextOptions& look,
                                     const TextOut& out) {
  return std::make_unique<TraceText>(filter, look, out);
}

}  // namespace

const Format text_format{.name = "text", .summary = "for people", .write = write, .trace = trace};

}  // namespace raddle
