// A schedule without the solver, for histories of one execution: threads go on as they did there,
// but for those that the question concerns, which are held back until it is their turn. What is
// found is a schedule; that none is found says nothing.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "host/causal/histories.hpp"
#include "host/causal/world.hpp"

namespace raddle::causal {

// The events come in this order, the last one at the end. `unseen`: events that may see something
// else than they saw, and whether their threads stop there then.
std::optional<std::vector<Move>> guess_order(const Histories& histories,
                                             const std::vector<NodeId>& events,
                                             const std::map<NodeId, bool>& unseen);

// The threads stand at these nodes at the end, one node a thread.
std::optional<std::vector<Move>> guess_meeting(const Histories& histories,
                                               const std::vector<NodeId>& at);

}  // namespace raddle::causal
