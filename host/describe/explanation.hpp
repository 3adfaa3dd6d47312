// Why an execution went wrong, in the program's own words: the few steps that matter, what the
// programmer presumably assumed, and what would have made it so. Made from an execution's events;
// explanation_text() only lays it out. Everything here is fit for a terminal and for JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/symbols/symbolizer.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

struct ExplainedStep {
  std::uint16_t thread = 0;
  std::uint64_t step = 0;
  Where where;
  std::string what;       // "balance()  reads balance_ = 100"
  bool violates = false;  // here it goes wrong
};

struct Explanation {
  std::string title;                   // "check-then-act on account.balance_"
  std::string summary;                 // one sentence: who used what that somebody changed
  std::vector<ExplainedStep> steps;    // in the order of execution
  std::vector<ThreadLine> threads;     // their names
  std::vector<std::string> sentences;  // what was assumed; which locks were held
  std::string suggestion;              // what would have made it atomic; empty if nothing is known

  bool empty() const { return title.empty() && sentences.empty(); }
};

// `failure` is that of the same execution; for one that did not fail (a confirmed finding) its kind
// is kNone. `symbols` has that execution's maps. Empty if nothing that the events show explains it.
Explanation explain(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols);

}  // namespace raddle
