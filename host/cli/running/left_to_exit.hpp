// Millions of events leave millions of small blocks. To free them one by one takes as long as a
// detector does, and all that comes next is the end of the process, which frees them at once.
#pragma once

#include <memory>
#include <vector>

namespace raddle {

// Lives until the process ends. Called by a command when nothing runs in the thing any more.
template <class Thing>
Thing& leave_to_exit(std::unique_ptr<Thing> thing) {
  static auto& left = *new std::vector<Thing*>;  // reachable, so that it is no leak
  return *left.emplace_back(thing.release());
}

}  // namespace raddle
