// --gcc FILE, --format gcc: lines as compilers print them, for editors and problem matchers.
#include <fmt/format.h>

#include "host/base/printable.hpp"
#include "host/report/document/source_root.hpp"
#include "host/report/formats/format.hpp"
#include "host/report/formats/severity.hpp"

namespace raddle {
namespace {

// Debug information of calls has lines; the column stands there because readers want one.
std::string line(const std::string& root, const Where& where, const char* word,
                 const std::string& text) {
  const std::string words = printable(text);
  if (where.file.empty()) return fmt::format("raddle: {}: {}\n", word, words);
  return fmt::format("{}:{}:1: {}: {}\n", source_path(root, where.file),
                     std::max<std::uint32_t>(where.line, 1), word, words);
}

std::string title_of(const DocumentExecution& execution, ThreadId id) {
  for (const DocumentThread& thread : execution.threads) {
    if (thread.id == id) return thread.title;
  }
  return fmt::format("T{}", raw(id));
}

std::string finding_lines(const std::string& root, const DocumentFinding& finding) {
  std::string text = finding.message;
  if (!finding.title.empty()) text += ": " + finding.title;
  text += fmt::format(" [raddle-{}]", finding.kind);
  std::string out = line(root, finding.where, severity_text(severity_of(finding)), text);
  for (const DocumentStep& step : finding.execution.steps) {
    if (!step.explains || step.where.file.empty()) continue;
    out += line(root, step.where, "note",
                fmt::format("step {}, {}: {}", raw(step.step),
                            title_of(finding.execution, step.thread), step.what));
  }
  if (!finding.suggestion.empty())
    out += line(root, finding.where, "note", "suggestion: " + finding.suggestion);
  return out;
}

std::string write(const Document& document, const TextOptions&) {
  const std::string root = source_root(document);
  std::string out;
  for (const DocumentFinding& finding : document.findings) {
    if (finding.part_of == 0) out += finding_lines(root, finding);
  }
  return out;
}

}  // namespace

const Format gcc_format{.name = "gcc",
                        .summary = "lines as compilers print them",
                        .owns_output = true,
                        .to_file = "for editors and problem matchers",
                        .write = write};

}  // namespace raddle
