// How an execution failed, as facts: the report and the process's status, taken together. Used by
// describe() alone.
#pragma once

#include "host/describe/failure.hpp"
#include "host/describe/reported_objects.hpp"

namespace raddle {

// What the verdict needs besides the execution.
struct VerdictFacts {
  const Where& where;
  bool recursion =
      false;  // the failing thread's stack repeats itself and goes on beyond the report
};

// All but who waits in a deadlock.
Verdict verdict_of(const Execution& execution, const VerdictFacts& facts,
                   const ReportedObjects& objects);

}  // namespace raddle
