// What of a recorded execution could violate atomicity in another order: its accesses, or its
// acquisitions of a lock, in the order of a problematic pattern. Whether that order can be is the
// solver's to say.
#pragma once

#include <cstdint>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/confirm/candidates.hpp"
#include "host/process/worker.hpp"

namespace raddle {

struct OrderCandidate {
  Candidate candidate;
  // Steps of the choice log that are to come in this order; several choices at the same places.
  std::vector<std::vector<std::uint64_t>> orders;
};

struct OrderCandidateOptions {
  bool joint = true;
  bool atomic_sets = true;
  bool sections = true;
  WantsFinding wants;
};

// Which blocks are atomic, for kBlocks... of the plan of the executions that are to show it.
std::uint8_t predicted_blocks();

// `recorded` has its choice log, and Plan::by_values: every access is a step of its own.
Result<std::vector<OrderCandidate>> order_candidates(Worker& worker, const Execution& recorded,
                                                     const RunOptions& running,
                                                     const OrderCandidateOptions& options);

}  // namespace raddle
