// What could be chosen at a step of an execution. Everybody who goes through schedules asks here,
// so that all mean the same schedules by "all".
#pragma once

#include <cstdint>
#include <vector>

#include "host/explore/executor.hpp"
#include "host/explore/schedule_tree.hpp"
#include "protocol/turns/idle_fairness.hpp"

namespace raddle {

// In the order of thread numbers or values. `turns` has seen the steps before; `last` is who moved
// last.
void find_candidates(const Explored& execution, std::uint32_t step, const IdleFairness& turns,
                     ThreadId last, std::vector<Branch>& out);

// The same where an execution was ended although threads could move.
void find_candidates_at_end(const Explored& execution, const IdleFairness& turns, ThreadId last,
                            std::vector<Branch>& out);

}  // namespace raddle
