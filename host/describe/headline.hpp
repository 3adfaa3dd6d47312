// The one sentence that says how an execution failed. Called by describe() alone.
#pragma once

#include <string>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/describe/wording.hpp"

namespace raddle {

// What the headline needs besides the execution.
struct HeadlineFacts {
  Where where;
  bool recursion =
      false;  // the failing thread's stack repeats itself and goes on beyond the report
  // kDeadlock: the threads waiting for each other; if there are none, those that wait for something
  // that nobody will do.
  std::vector<const ThreadReport*> cycle;
  std::vector<const ThreadReport*> waiting;
};

std::string headline(const Execution& execution, const HeadlineFacts& facts,
                     const Wording& wording);

}  // namespace raddle
