// Guided: follows a list of turns, the guide, as far as the program lets it. Where the guide says
// nothing, each thread runs until it waits. Minimizing removes, joins and moves turns: any list of
// turns still means an execution, whereas a choice log with holes does not.
//
// A guide is a list of StepRecords of two kinds (host/campaign/minimize/schedule.hpp makes them):
//   a turn    {thread, OpKind::none, 0, kNoObject, site = count}: the thread runs until it has
//             made `count` steps since it began. Because the count starts at the thread's
//             beginning, a turn keeps its meaning when an earlier one is removed: the thread
//             then makes the steps of both turns here.
//   a value   {thread, OpKind::value_choice, value, count of values, 0}: answers the thread's
//             first value choice that no earlier value has answered.
// A turn is over when its thread cannot move or has made its steps. After the last turn the running
// thread goes on until it waits, ends or gives way. The next one is the thread whose last step is
// the longest ago.
#pragma once

#include <span>

#include "target/strategy/table.hpp"

namespace raddle {

Strategy* make_guided(std::span<const StepRecord> guide, Allocate allocate);

}  // namespace raddle
