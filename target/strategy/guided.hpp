// Guided: follows a list of turns as far as the program lets it, and lets each thread run until it
// waits where the list says nothing. What minimizing works with: a list with turns taken out, put
// together or moved still means an execution, where a choice log with holes would not.
//
// A guide is a list of StepRecords of two sorts (host/campaign/minimize/schedule.hpp makes them):
//   a turn   {thread, OpKind::none, 0, kNoObject, site = count}: the thread runs until it has made
//             `count` steps since it began. Counting from its beginning keeps a turn's meaning
//             when an earlier one is gone: its steps are then made here.
//   a value   {thread, OpKind::value_choice, value, count of values, 0}: of the thread's value
//             choices the first that no earlier value answered.
// A turn whose thread cannot move, or has come as far, is over. After the last one the thread that
// runs goes on until it waits, ends or gives way, then the one that has not run for longest.
#pragma once

#include <span>

#include "target/strategy/table.hpp"

namespace raddle {

Strategy* make_guided(std::span<const StepRecord> guide, Allocate allocate);

}  // namespace raddle
