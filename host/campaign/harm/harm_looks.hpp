// Looks for harm, of a hunt or a prediction: within a share of its time, with what the program
// writes learned once.
// Called on any worker's thread.
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
  // `began`: they may take a share of the time since then; none: as long as they take.
  explicit HarmLooks(std::optional<Clock::time_point> began) : began_(began) {}

  // Of a confirmed violation that rests on an inference, in an execution that passed. `plan` and
  // `aims` are for executions that only show what the program writes.
  HarmChecked look(Worker& worker, const Finding& finding, const Execution& execution,
                   const RunOptions& running, const Plan& plan, const AimList& aims);

 private:
  bool has_time() const;
  void compare_output(Worker& worker, HarmChecked& checked, const Plan& plan,
                      const RunOptions& running);

  const std::optional<Clock::time_point> began_;
  std::atomic<Clock::rep> spent_{0};  // by all workers
  std::mutex mutex_;                  // of the next
  std::optional<WrittenSerially> written_;
};

}  // namespace raddle
