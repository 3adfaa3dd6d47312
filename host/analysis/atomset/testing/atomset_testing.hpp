// Test helper: an execution as text (trace_builder.hpp), through the detector, as a set of matches.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/atomset/atomset.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {

struct AtomicSetOutcome {
  std::vector<Finding> findings;
  std::vector<std::string> notes;
  std::set<int> patterns;
  std::vector<std::pair<AtomicSetMatch, std::string>> matches;  // with the sets' names
  std::size_t peak = 0, left = 0;                               // automata
};

struct AtomicSetRun {
  AtomicSetOptions options{};
  std::function<void(TestTrace&)> edit{};  // before it is fed
  std::function<void(AtomicSetDetector&, const TestTrace&)> prepare{};
};

inline AtomicSetOutcome run_atomset(const std::string& text, const AtomicSetRun& how = {}) {
  TestTrace trace = trace_of(text);
  if (how.edit) how.edit(trace);
  Pipeline pipeline(AnalysisOptions{});
  auto detector = std::make_unique<AtomicSetDetector>(pipeline.state(), how.options);
  AtomicSetOutcome outcome;
  detector->on_match([&](const AtomicSetMatch& match, const std::string& set) {
    outcome.patterns.insert(match.pattern);
    outcome.matches.emplace_back(match, set);
  });
  if (how.prepare) how.prepare(*detector, trace);
  const AtomicSetEngine& engine = detector->engine();
  pipeline.add(std::move(detector));
  trace.feed(pipeline);
  outcome.findings = pipeline.findings();
  outcome.notes = pipeline.notes();
  outcome.peak = engine.peak_automata();
  outcome.left = engine.automata();
  return outcome;
}

// T1 and T2 are in run1 and run2: what they call is not what their thread was created for.
inline const std::string kRunning = "T1 enter(run1); T2 enter(run2);";

}  // namespace raddle
