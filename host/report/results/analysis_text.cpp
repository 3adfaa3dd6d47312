#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/base/printable.hpp"
#include "host/report/finding_text.hpp"
#include "host/report/layout.hpp"
#include "host/report/results/analysis_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/unseen_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kWorst = 10;
constexpr std::size_t kShownProblems = 10;
constexpr std::size_t kShownUnused = 10;
constexpr std::size_t kLabel = 16;  // of the lines after the findings

std::vector<std::string> detectors(const AnalysisOptions& options, bool instrumented,
                                   bool working) {
  std::vector<std::string> names;
  for (const DetectorEntry& entry : detector_registry()) {
    const std::vector<std::string>& wanted = options.detectors;
    const bool asked =
        wanted.empty() || std::find(wanted.begin(), wanted.end(), entry.name) != wanted.end();
    const bool works = instrumented || !entry.needs_accesses;
    if (asked && works == working) names.emplace_back(entry.name);
  }
  return names;
}

std::string list(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// "   next        raddle check --seed 2 -- ./bank"
void labelled(std::string& out, const std::string& label, const std::string& text,
              const TextOptions& look) {
  bool first = true;
  for (const std::string& line : wrapped(text, usable_width(look) - kLabel, 0)) {
    out += padded(first ? "   " + label : std::string(), kLabel);
    out += line;
    end_line(out);
    first = false;
  }
}

// "2 race, 1 lock-order"
std::string kinds_text(const std::vector<const Finding*>& findings) {
  std::vector<std::pair<FindingKind, std::size_t>> kinds;  // in the order of the findings
  for (const Finding* finding : findings) {
    if (kinds.empty() || kinds.back().first != finding->kind) kinds.emplace_back(finding->kind, 0);
    ++kinds.back().second;
  }
  std::string text;
  if (kinds.size() == 1) return finding_kind_text(kinds[0].first);
  for (const auto& [kind, count] : kinds) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, finding_kind_text(kind));
  }
  return text;
}

std::size_t resting_on_inference(const FilteredFindings& filtered) {
  return static_cast<std::size_t>(
      std::count_if(filtered.findings.begin(), filtered.findings.end(),
                    [](const Finding* finding) { return rests_on_inference(*finding); }));
}

std::string looked_at(const Analysis& analysis) {
  const ExecutionState& state = analysis.pipeline.state();
  return fmt::format("{} of {}", counted(state.events(), "event"),
                     counted(state.threads(), "thread"));
}

// "3 of pattern 1, 1 of pattern 11"
std::string patterns_text(const FilteredFindings& filtered) {
  std::string text;
  for (const auto& [pattern, count] : pattern_counts(filtered))
    text += fmt::format("{}{} of pattern {}", text.empty() ? "" : ", ", count, pattern);
  return text;
}

void add_notes(std::string& out, const Analysis& analysis, const FilteredFindings& filtered,
               const TextOptions& look) {
  if (const auto& unseen = analysis.pipeline.state().unseen(); !unseen.empty())
    labelled(out, "not seen", printable(synchronising_text(unseen)), look);
  for (const std::string& note : analysis.pipeline.notes())
    labelled(out, "bound", printable(note), look);
  if (const std::string patterns = patterns_text(filtered); !patterns.empty())
    labelled(out, "patterns", patterns, look);
  if (const auto& blocks = analysis.pipeline.block_counts(); blocks && blocks->entered > 0)
    labelled(out, "blocks",
             fmt::format("{} of {} {} atomic", grouped(blocks->atomic),
                         counted(blocks->entered, "block"), blocks->entered == 1 ? "was" : "were"),
             look);
  if (filtered.minor > 0)
    labelled(out, "minor",
             fmt::format("{} that nobody declared atomic create{} threads and join{} them; --all "
                         "shows {}",
                         counted(filtered.minor, "block"), filtered.minor == 1 ? "s" : "",
                         filtered.minor == 1 ? "s" : "", filtered.minor == 1 ? "it" : "them"),
             look);
  if (filtered.known > 0) {
    labelled(out, "known",
             fmt::format("{} in {}, not shown", filtered.known, printable(analysis.baseline)),
             look);
  }
  if (filtered.suppressed > 0) {
    labelled(out, "suppressed",
             fmt::format("{} by {}", filtered.suppressed, printable(analysis.suppressions)), look);
  }
  for (std::size_t i = 0; i < filtered.unused.size(); ++i) {
    if (i == kShownUnused) {
      labelled(out, "", fmt::format("and {} more entries", filtered.unused.size() - i), look);
      break;
    }
    labelled(out, i == 0 ? "unused" : "", printable(filtered.unused[i]) + " matched nothing", look);
  }
}

// Commands are not wrapped: they are to be pasted.
void add_next(std::string& out, const Analysis& analysis, const TextOptions& look) {
  std::string label = "   next";
  for (const auto& [command, what] : analysis.next) {
    const bool fits = kLabel + command.size() + 3 + what.size() <= usable_width(look);
    out += padded(std::exchange(label, {}), kLabel) + command;
    out += fits ? "   " + what + "\n" : "\n" + std::string(kLabel, ' ') + "  " + what + "\n";
  }
}

void add_nothing(std::string& out, const Analysis& analysis, const FilteredFindings& filtered,
                 const TextOptions& look) {
  const bool others = filtered.known + filtered.suppressed > 0;
  const std::string working = list(working_detectors(analysis.options, analysis.instrumented));
  const char* what = others ? "nothing new" : analysis.failed ? "nothing else" : "nothing";
  const std::string line =
      working.empty() ? fmt::format("nothing could be looked for in {}", looked_at(analysis))
                      : fmt::format("{} found in {}, by {}", what, looked_at(analysis), working);
  for (const std::string& part : wrapped("raddle: " + line, usable_width(look), 8)) {
    out += part;
    end_line(out);
  }
  labelled(out, "covered", analysis.covered, look);
  std::string not_covered = "other inputs; code and schedules that this execution did not come to";
  if (!analysis.instrumented) not_covered += "; memory accesses";
  labelled(out, "not covered", not_covered, look);
  add_notes(out, analysis, filtered, look);
  add_next(out, analysis, look);
}

}  // namespace

std::vector<std::string> working_detectors(const AnalysisOptions& options, bool instrumented) {
  return detectors(options, instrumented, true);
}

std::vector<std::string> silent_detectors(const AnalysisOptions& options, bool instrumented) {
  return detectors(options, instrumented, false);
}

std::string instrumentation_note(const std::string& program, const AnalysisOptions& options,
                                 bool instrumented) {
  const std::vector<std::string> silent = silent_detectors(options, instrumented);
  if (silent.empty()) return {};
  const std::string working = list(working_detectors(options, instrumented));
  return fmt::format(
      "raddle: {}: no memory accesses, it was not built with raddle-cc or raddle-c++:\n"
      "        {} see{} nothing, {}\n",
      program, list(silent), silent.size() == 1 ? "s" : "",
      working.empty() ? "and no other detector was asked for"
                      : fmt::format("only {} can find something", working));
}

std::string analysis_text(const Analysis& analysis, const FilteredFindings& filtered,
                          const TextOptions& look) {
  std::string out;
  const std::vector<const Finding*>& findings = filtered.findings;
  if (findings.empty()) {
    add_nothing(out, analysis, filtered, look);
    return out;
  }
  const std::size_t shown = analysis.all ? findings.size() : std::min(findings.size(), kWorst);
  StorySources sources;
  std::vector<std::pair<std::size_t, FindingStory>> in_full;
  for (std::size_t i = 0; i < shown; ++i) {
    FindingStory story = describe(*findings[i], analysis.pipeline.names(), sources);
    const auto like = std::find_if(in_full.begin(), in_full.end(), [&](const auto& earlier) {
      return !analysis.all && same_places(story, earlier.second);
    });
    out += finding_text(i + 1, story, like == in_full.end() ? 0 : like->first, look) + '\n';
    if (like == in_full.end()) in_full.emplace_back(i + 1, std::move(story));
  }
  const bool more = shown < findings.size();
  const std::string line =
      fmt::format("{}{} ({}) in {}{}", filtered.known > 0 ? "new: " : "",
                  counted(findings.size(), "candidate"), kinds_text(findings), looked_at(analysis),
                  more ? fmt::format("; the worst {} are shown, --all shows all", shown) : "");
  for (const std::string& part : wrapped("raddle: " + line, usable_width(look), 8)) {
    out += part;
    end_line(out);
  }
  labelled(out, "means",
           "concluded from this one execution; whether it makes the program fail is not known",
           look);
  if (const std::size_t inferred = resting_on_inference(filtered); inferred > 0 && !analysis.strict)
    labelled(out, "not counted",
             fmt::format("{}: nobody said that what {} on is meant so; --strict counts {}",
                         inferred == findings.size() ? (inferred == 1 ? "it" : "all of them")
                                                     : grouped(inferred),
                         inferred == 1 ? "it rests" : "they rest", inferred == 1 ? "it" : "them"),
             look);
  add_notes(out, analysis, filtered, look);
  labelled(
      out, "hide one",
      fmt::format("with a line `id:{}' in a file for --suppressions", finding_id(*findings[0])),
      look);
  add_next(out, analysis, look);
  return out;
}

std::string problems_text(const Analysis& analysis) {
  const std::vector<std::string>& problems = analysis.pipeline.problems();
  const std::uint64_t count = analysis.pipeline.state().problem_count();
  const std::size_t shown = analysis.strict_events || analysis.all
                                ? problems.size()
                                : std::min(problems.size(), kShownProblems);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("raddle: {}{}\n",
                       analysis.strict_events ? "" : "warning: ", printable(problems[i]));
  }
  if (count > shown)
    out += fmt::format("raddle: and {} more of this kind\n", grouped(count - shown));
  return out;
}

}  // namespace raddle
