// The plain accesses that are decision points of an exploration, because they race: in executions
// that are recorded first, or in the first schedules that the exploration then goes through.
#pragma once

#include "host/base/result.hpp"
#include "host/process/worker.hpp"
#include "host/replay/aims.hpp"
#include "protocol/plan.hpp"

namespace raddle {

// Null without races, or for a program without hooks. The worker was started with kEnabledCapacity.
// The same plan and program give the same places, unless all of it takes longer than `at_most`.
Result<AimList> racing_places(Worker& worker, const Plan& plan, const RunOptions& running,
                              Clock::duration at_most);

}  // namespace raddle
