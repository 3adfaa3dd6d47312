// Why an exploration over the causal model (host/explore/causal/) cannot cover a program.
#pragma once

#include <cstdint>

#include "host/causal/histories.hpp"
#include "protocol/choice_log.hpp"
#include "protocol/ids.hpp"

namespace raddle {

// Why an execution does not fit the model.
struct CausalProblem {
  enum Kind : std::uint8_t {
    kNone,
    kUncontrolled,      // threads that nobody controls
    kUnknownOperation,  // the model does not have it: `op`
    kNoValues,          // the executor did not say what accesses found
    kManyPlaces,        // one operation touches several places that threads share
    kUnseenWrite,       // memory that threads share changed without an access that was seen
    kMovedMemory,       // threads share memory that lies elsewhere in each execution
    kContradiction,     // the same history led to different steps: `difference`
    kNotFollowed,       // a schedule that the model calls feasible: `step`, `wanted`, `came`
  };
  Kind kind = kNone;
  std::uint64_t step = 0;
  ThreadId thread = kNoThread;
  OpKind op = OpKind::none;
  std::uint64_t site = 0;
  causal::Contradiction difference;
  StepRecord wanted{};
  StepRecord came{};
};

// What a causal exploration says beside the counts that all explorers have.
struct CausalCoverage {
  std::uint64_t queries = 0;    // those that the solver answered
  std::uint64_t unknown = 0;    // of them, those that it gave up
  CausalProblem problem;        // kNone: every execution fitted the model
  std::uint64_t cut_short = 0;  // repeated looks that failing executions left undone
};

}  // namespace raddle
