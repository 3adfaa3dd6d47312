// What a worker knows of executions whose process is put back: how many there were, when one is to
// be compared with a forked one, and why there are no more.
#pragma once

#include <cstdint>
#include <string>

#include "host/process/execution.hpp"
#include "protocol/shared_region.hpp"

namespace raddle {

class RestoredExecutions {
 public:
  // An execution has ended; it is `restored` if its process goes on.
  void note(const Restoring& restoring, bool restored, bool killed);

  // The last one was restored, and is to be run again by fork. Now and then, often at first; those
  // that went on from the middle count apart, too.
  bool is_time_to_compare() const;
  // It was not the same; `forked_differ`: nor were two forked ones.
  void differs(bool forked_differ);

  std::uint64_t count() const { return count_; }
  // Of those, the ones that went on from the middle of the one before, and the steps that they did
  // not have to execute again.
  std::uint64_t went_on() const { return went_on_; }
  std::uint64_t steps_saved() const { return steps_saved_; }
  RestoringBy by() const { return by_; }
  // Executions are forked although they were to be restored; a sentence about the program, or "".
  const std::string& why_not() const { return why_not_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t went_on_ = 0;
  std::uint64_t steps_saved_ = 0;
  bool last_restored_ = false;
  bool last_went_on_ = false;
  int lost_ = 0;  // processes that were remembered and ended all the same, one after another
  RestoringBy by_ = RestoringBy::kNothing;
  std::string why_not_;
};

// What must be the same of a restored execution and a forked one of the same plan.
struct Course {
  std::uint64_t log_hash = 0;
  OutcomeKind kind = OutcomeKind::kNone;
  int ended = 0;  // the wait status, but for a core: a process that is put back leaves none
  std::string out;
  std::string err;
  std::uint64_t choices = 0;  // who could move at each step, and how, if the plan asks for that
  bool operator==(const Course&) const = default;
};
// `region` is as the execution left it.
Course course_of(const Execution& execution, SharedRegion& region);

}  // namespace raddle
