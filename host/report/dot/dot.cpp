// --dot FILE, --format dot: the order of events of each finding, for GraphViz. A node is a step, a
// column of nodes a thread; an edge leads from what came first.
#include <fmt/format.h>

#include <map>

#include "host/base/printable.hpp"
#include "host/report/formats/format.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostSteps = 150;  // a graph with more nobody can read

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Two lines, which GraphViz centres.
std::string label(const DocumentStep& step) {
  const std::string place = short_place(step.where);
  std::string both = quoted(fmt::format("{}  {}", raw(step.step), place));
  both.pop_back();
  return both + "\\n" + quoted(step.what).substr(1);
}

class Graph {
 public:
  Graph(std::string& out, const DocumentFinding& finding, std::size_t number)
      : out_(out), finding_(finding), execution_(finding.execution), number_(number) {
    const std::size_t steps = execution_.steps.size();
    first_ = steps > kMostSteps ? steps - kMostSteps : 0;
  }

  void write() {
    out_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n", number_,
                        quoted(fmt::format("{}. {} {}", number_, finding_level_text(finding_.level),
                                           finding_.message)));
    std::map<std::uint16_t, std::size_t> last;
    for (const DocumentThread& thread : execution_.threads) {
      if (!makes_steps(thread.id)) continue;
      out_ += fmt::format("    {} [shape=plaintext, fontname=\"sans-serif bold\", label={}];\n",
                          head(thread.id), quoted(thread.title));
    }
    for (std::size_t i = first_; i < execution_.steps.size(); ++i) {
      const DocumentStep& step = execution_.steps[i];
      add_node(i, step);
      const auto before = last.find(raw(step.thread));
      out_ += fmt::format("    {} -> {} [color=gray60, weight=10, arrowhead=none];\n",
                          before == last.end() ? head(step.thread) : node(before->second), node(i));
      last[raw(step.thread)] = i;
    }
    for (const DocumentOrder& order : execution_.orders) {
      if (order.from < first_) continue;
      out_ += fmt::format("    {} -> {} [label={}, color=\"#1f5fbf\", constraint=true];\n",
                          node(order.from), node(order.to), quoted(order.why));
    }
    out_ += "  }\n";
  }

 private:
  std::string node(std::size_t step) const { return fmt::format("f{}s{}", number_, step); }
  std::string head(ThreadId id) const { return fmt::format("f{}t{}", number_, raw(id)); }
  bool makes_steps(ThreadId id) const {
    for (std::size_t i = first_; i < execution_.steps.size(); ++i) {
      if (execution_.steps[i].thread == id) return true;
    }
    return false;
  }

  void add_node(std::size_t index, const DocumentStep& step) {
    const char* look = step.violates   ? ", style=\"filled,bold\", fillcolor=\"#f8d0d0\""
                       : step.explains ? ", style=filled, fillcolor=\"#fff0c0\""
                                       : "";
    out_ += fmt::format("    {} [label={}, group=t{}{}];\n", node(index), label(step),
                        raw(step.thread), look);
  }

  std::string& out_;
  const DocumentFinding& finding_;
  const DocumentExecution& execution_;
  const std::size_t number_;
  std::size_t first_ = 0;
};

std::string write(const Document& document, const TextOptions&) {
  std::string out = "digraph raddle {\n";
  out += fmt::format("  label={};\n  labelloc=t;\n",
                     quoted(fmt::format("raddle {}: {}", document.command, document.program)));
  out += "  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n";
  out += "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  for (std::size_t i = 0; i < document.findings.size(); ++i) {
    const DocumentFinding& finding = document.findings[i];
    const bool shown = finding.part_of == 0 && !finding.execution.steps.empty();
    if (shown) Graph(out, finding, i + 1).write();
  }
  return out + "}\n";
}

}  // namespace

const Format dot_format{.name = "dot",
                        .summary = "the order of events",
                        .owns_output = true,
                        .to_file = "of each finding, for GraphViz",
                        .write = write};

}  // namespace raddle
