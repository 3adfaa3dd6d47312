// What a program writes, up to order: the words of its output, each as often as it comes. Lines
// that threads write come in any order, and a thread may be handed what was another's; but the
// words stay the same. What it returns is one more of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/describe/finding_story.hpp"
#include "host/process/execution.hpp"
#include "host/process/worker.hpp"

namespace raddle {

// Sorted. Addresses (0x...) are left out.
std::vector<std::string> written_words(const Execution& execution);

// What executions write in which no thread is interrupted: each runs until it waits or ends, in an
// order that the seed chooses. If they do not all write the same words, then what the program
// writes depends on the schedule by design, and says nothing.
class WrittenSerially {
 public:
  static constexpr unsigned kExecutions = 8;

  // Executes them, with this plan. An error means that none could be started.
  static Result<WrittenSerially> learn(Worker& worker, const Plan& plan, const RunOptions& options);

  // Whether an execution writes what none of these does, nor `serial`; `harm` says what.
  bool differs(const Execution& execution, const std::vector<Execution>& serial, Harm& harm) const;

 private:
  std::optional<std::vector<std::string>> words_;  // none: it depends on the schedule
};

}  // namespace raddle
