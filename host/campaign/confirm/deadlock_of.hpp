// Which cycle of locks a deadlock is: one candidate's strategy may well end in the deadlock of
// another.
#pragma once

#include "host/campaign/confirm/candidates.hpp"
#include "host/process/execution.hpp"

namespace raddle {

// The execution ended in the deadlock that the candidate, a cycle of locks, speaks of: as many
// threads wait for each other, each at another of the candidate's places. Where the runtime could
// name no cycle, the candidate's places need only be among those where threads are blocked.
// `execution` has its report and its maps.
bool is_deadlock_of(const Candidate& candidate, const Execution& execution);

}  // namespace raddle
