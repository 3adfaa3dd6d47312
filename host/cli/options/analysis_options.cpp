#include "host/cli/options/analysis_options.hpp"

#include <fmt/format.h>

#include <functional>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kMostAutomata = 1'000'000'000;

// Words of a list, "a,b" or repeated; each is checked by `take`, which returns what is wrong.
void word_list(CLI::App& app, const std::string& name, const char* type,
               const std::vector<std::string>& words, const std::function<void()>& begin,
               const std::function<std::string(const std::string&)>& take,
               const std::string& help) {
  const auto parse = [name, begin, take](const CLI::results_t& values) {
    begin();
    for (const std::string& value : values) {
      const std::string wrong = take(value);
      if (!wrong.empty()) throw CLI::ValidationError(name, wrong);
    }
    return true;
  };
  CLI::Option* option = app.add_option(name, CLI::callback_t(parse), help)
                            ->type_name(type)
                            ->expected(1, CLI::detail::expected_max_vector_size)
                            ->delimiter(',')
                            ->allow_extra_args(false);
  set_choices(*option, words);
}

std::vector<std::string> detector_names() {
  std::vector<std::string> names;
  for (const DetectorEntry& entry : detector_registry()) names.emplace_back(entry.name);
  return names;
}

std::string detector_help() {
  std::string text = "Which detectors, all if absent:";
  for (const DetectorEntry& entry : detector_registry())
    text += fmt::format("\n  {:<9} {}", entry.name, entry.summary);
  return text;
}

std::string take_detector(const std::string& name, AnalysisOptions& options) {
  std::string names;
  for (const DetectorEntry& entry : detector_registry()) {
    if (name == entry.name) {
      options.detectors.push_back(name);
      return {};
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
  }
  return fmt::format("`{}' is no detector; there are: {}", name, names);
}

std::string take_source(const std::string& name, BlockSources& sources) {
  if (name == "annotated") {
    sources.annotated = true;
  } else if (name == "locks") {
    sources.locks = true;
  } else if (name == "functions") {
    sources.functions = true;
  } else {
    return fmt::format("`{}' is no source of atomic blocks; there are: annotated, locks, functions",
                       name);
  }
  return {};
}

}  // namespace

void add_analysis_options(CLI::App& app, FindingOptions& options) {
  AnalysisOptions& analysis = options.analysis;
  word_list(
      app, "--detector", "NAME,...", detector_names(), [] {},
      [&analysis](const std::string& name) { return take_detector(name, analysis); },
      detector_help());
  word_list(
      app, "--atomic", "SOURCE,...", {"annotated", "locks", "functions"},
      [&analysis] { analysis.atomic = {.annotated = false, .locks = false, .functions = false}; },
      [&analysis](const std::string& name) { return take_source(name, analysis.atomic); },
      "What is meant to be atomic: annotated blocks, regions with locks, functions that are\n"
      "units of work; annotated,locks if absent");
  app.add_flag_callback(
      "--no-refine", [&analysis] { analysis.refine_locks = false; },
      "atomizer: every lock counts, even if only one thread has used it or another lock is\n"
      "always held around it; more is reported, and more of it is false");
  app.add_flag_callback(
      "--no-ownership", [&analysis] { analysis.ownership = false; },
      "atomset: memory that an object allocates is not part of it");
  app.add_flag_callback(
      "--entry-units", [&analysis] { analysis.entry_units = true; },
      "atomset: what a thread was created for, and main, are units of work, too");
  app.add_flag_callback(
      "--no-split-at-wait", [&analysis] { analysis.split_at_wait = false; },
      "atomset: a unit of work goes on when it waits on a condition or at a barrier");
  app.add_flag_callback(
      "--no-fork-orders", [&analysis] { analysis.fork_orders = false; },
      "atomset: what a unit did before it created the other unit's thread counts as well");
  number(app, "--max-automata", analysis.max_automata, 1, kMostAutomata,
         "atomset: bound on its memory, some 60 bytes each");
  add_strict(app, options.strict);
  app.add_flag("--strict-events", options.strict_events,
               "Events that do not fit together are an error");
  file(app, "--suppressions", options.suppressions,
       "Findings not to show: a line each of function:NAME, file:GLOB, object:GLOB, id:HEX");
  file(app, "--baseline", options.baseline, "Show only what is not in this file");
  file(app, "--write-baseline", options.write_baseline, "Write what was found into this file");
  app.add_flag("--all", options.all, "Show all findings, not only the worst ten");
}

}  // namespace raddle
