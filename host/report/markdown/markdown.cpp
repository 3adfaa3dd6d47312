// --markdown FILE, --format markdown: a summary that is short enough for a comment on a pull
// request.
#include <fmt/format.h>

#include <algorithm>

#include <set>

#include "host/base/printable.hpp"
#include "host/report/document/source_root.hpp"
#include "host/report/formats/format.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostDetails = 5;
constexpr std::size_t kMostSteps = 25;

// Nothing that the program said is markup, a link, or somebody's name.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '@':
        out += "&#64;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
      case '#':
      case '!':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Inside a tag, where Markdown's own escapes would show.
std::string in_tag(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&' || c == '<' || c == '@') {
      out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&#64;";
    } else {
      out += c;
    }
  }
  return out;
}

// As code; a fence that the text does not have.
std::string code(const std::string& text) {
  const std::string words = printable(text);
  std::size_t run = 0;
  std::size_t longest = 0;
  for (const char c : words) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  const char* gap = longest > 0 ? " " : "";
  return fence + gap + words + gap + fence;
}

// The same in a table, where a bar would end the cell.
std::string cell_code(const std::string& text) {
  std::string out;
  for (const char c : code(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string place_cell(const std::string& root, const Where& where) {
  if (where.file.empty()) return where.function.empty() ? "" : cell_code(where.function);
  return cell_code(fmt::format("{}:{}", source_path(root, where.file), where.line));
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string headline_of(const Document& document) {
  std::size_t counting = 0;
  for (const DocumentFinding& finding : document.findings) counting += finding.counts ? 1 : 0;
  switch (document.verdict) {
    case DocumentVerdict::kFound:
      return counted(counting, "finding");
    case DocumentVerdict::kNothingFound:
      return "nothing found";
    case DocumentVerdict::kBadInput:
      return "bad input";
    case DocumentVerdict::kInconclusive:
      return "inconclusive";
  }
  return {};
}

std::string executions_text(const DocumentFinding& finding) {
  if (finding.of == 0) return finding.count > 1 ? grouped(finding.count) : std::string();
  return fmt::format("{} of {}", grouped(finding.count), grouped(finding.of));
}

std::string row(const std::string& root, const DocumentFinding& finding) {
  std::string what = plain(finding.message);
  if (!finding.title.empty()) what += "<br>" + plain(finding.title);
  return fmt::format("| {} | {} | {} | {} |\n", upper(finding_level_text(finding.level)), what,
                     place_cell(root, finding.where), executions_text(finding));
}

std::vector<const DocumentStep*> shown_steps(const DocumentExecution& execution) {
  std::vector<const DocumentStep*> steps;
  for (const DocumentStep& step : execution.steps) {
    if (step.explains) steps.push_back(&step);
  }
  if (steps.empty()) {
    for (const DocumentStep& step : execution.steps) steps.push_back(&step);
  }
  if (steps.size() > kMostSteps)
    steps.erase(steps.begin(), steps.end() - static_cast<std::ptrdiff_t>(kMostSteps));
  return steps;
}

// A column for each thread that makes one of the steps.
std::string steps_table(const DocumentExecution& execution) {
  const std::vector<const DocumentStep*> steps = shown_steps(execution);
  if (steps.empty()) return {};
  std::vector<const DocumentThread*> threads;
  for (const DocumentThread& thread : execution.threads) {
    for (const DocumentStep* step : steps) {
      if (step->thread != thread.id) continue;
      threads.push_back(&thread);
      break;
    }
  }
  std::string out = "\n| step |";
  std::string rule = "|---:|";
  for (const DocumentThread* thread : threads) {
    out += fmt::format(" {} |", plain(thread->title));
    rule += "---|";
  }
  out += "\n" + rule + "\n";
  for (const DocumentStep* step : steps) {
    out += fmt::format("| {} |", raw(step->step));
    for (const DocumentThread* thread : threads) {
      if (thread->id != step->thread) {
        out += " |";
        continue;
      }
      const std::string place = short_place(step->where);
      out += fmt::format(" {}{}{}{} |", place.empty() ? "" : cell_code(place),
                         place.empty() ? "" : " ", plain(step->what),
                         step->violates ? " **← here**" : "");
    }
    out += "\n";
  }
  return out;
}

std::string details(const DocumentFinding& finding, std::size_t number) {
  std::string out = fmt::format("\n<details{}>\n<summary>{}. {}</summary>\n\n",
                                number == 1 ? " open" : "", number, in_tag(finding.message));
  for (const std::string& sentence : finding.sentences) out += plain(sentence) + "\n";
  out += steps_table(finding.execution);
  if (!finding.suggestion.empty())
    out += fmt::format("\n**Suggestion:** {}\n", plain(finding.suggestion));
  if (!finding.replay.empty())
    out += fmt::format("\nAgain: {}\n", code("raddle replay " + shell_quoted(finding.replay)));
  return out + "\n</details>\n";
}

std::string write(const Document& document, const TextOptions&) {
  const std::string root = source_root(document);
  std::string command = fmt::format("raddle {} {}", document.command, document.program);
  for (const std::string& argument : document.arguments) command += " " + shell_quoted(argument);
  std::string out = fmt::format("### Raddle: {}\n\n{}\n", headline_of(document), code(command));
  std::vector<const DocumentFinding*> shown;
  for (const DocumentFinding& finding : document.findings) {
    if (finding.counts) shown.push_back(&finding);
  }
  if (!shown.empty()) out += "\n| level | finding | where | executions |\n|---|---|---|---:|\n";
  for (std::size_t i = 0; i < shown.size() && i < kMostRows; ++i) out += row(root, *shown[i]);
  if (shown.size() > kMostRows) out += fmt::format("\nand {} more.\n", shown.size() - kMostRows);
  for (std::size_t i = 0; i < shown.size() && i < kMostDetails; ++i)
    out += details(*shown[i], i + 1);
  const auto others = static_cast<std::size_t>(
      std::count_if(document.findings.begin(), document.findings.end(),
                    [](const DocumentFinding& one) { return !one.counts && one.part_of == 0; }));
  if (others > 0)
    out += fmt::format("\n{} that {} not count.\n", counted(others, "other finding"),
                       others == 1 ? "does" : "do");
  if (!document.covered.empty()) out += fmt::format("\nCovered: {}.\n", plain(document.covered));
  if (!document.not_covered.empty())
    out += fmt::format("\nNot covered: {}.\n", plain(document.not_covered));
  for (const std::string& note : document.notes) out += fmt::format("\nNote: {}\n", plain(note));
  return out;
}

}  // namespace

const Format markdown_format{.name = "markdown",
                             .summary = "a short summary",
                             .owns_output = true,
                             .to_file = "for a comment on a pull request",
                             .write = write};

}  // namespace raddle
