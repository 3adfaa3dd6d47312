// A hunt's looks for harm: within a share of its time, with what the program writes learned once.
// Called by hunt() on the workers' threads, without its lock.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/harm/harm.hpp"
#include "host/campaign/harm/written_words.hpp"

namespace raddle {

class HarmLooks {
 public:
  explicit HarmLooks(Clock::time_point hunt_began) : hunt_began_(hunt_began) {}

  // Of a confirmed violation that rests on an inference, in an execution that passed. `plan` and
  // `aims` are for executions that only show what the program writes.
  HarmChecked look(Worker& worker, const Finding& finding, const Execution& execution,
                   const RunOptions& running, const Plan& plan, const AimList& aims);

 private:
  bool has_time() const;
  void compare_output(Worker& worker, HarmChecked& checked, const Plan& plan,
                      const RunOptions& running);

  const Clock::time_point hunt_began_;
  std::atomic<Clock::rep> spent_{0};  // by all workers
  std::mutex mutex_;                  // of the next
  std::optional<WrittenSerially> written_;
};

}  // namespace raddle
