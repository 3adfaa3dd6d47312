// Locks held and waited for, and what ordered what, in the events of a timeline. Used by
// timeline_of() alone.
#pragma once

#include <span>
#include <vector>

#include "host/describe/timeline/timeline.hpp"

namespace raddle {

// `chosen` are the events behind timeline.events, one for one: objects by their addresses. Sets
// spans, orders and the events' `preempts`.
void find_orders(Timeline& timeline, std::span<const Event> chosen, const Failure& failure);

}  // namespace raddle
