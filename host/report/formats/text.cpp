// --format text: what a person reads.
#include "host/report/formats/format.hpp"
#include "host/report/results/words.hpp"
#include "host/report/trace_text.hpp"
#include "host/report/words/control/control_words.hpp"

namespace raddle {
namespace {

std::string write(const Document& document, const TextOptions& look) {
  std::string text = document.text(look);
  if (!document.out_of_control) return text;
  for (const std::string& words : control_words(*document.out_of_control, tool_name())) {
    text += paragraph((document.beside_program ? "raddle: " : "") + words,
                      static_cast<std::size_t>(look.width), 0);
  }
  return text;
}

std::unique_ptr<FilteredTrace> trace(const TraceFilter& filter, const TextOptions& look,
                                     const TextOut& out) {
  return std::make_unique<TraceText>(filter, look, out);
}

}  // namespace

const Format text_format{.name = "text", .summary = "for people", .write = write, .trace = trace};

}  // namespace raddle
