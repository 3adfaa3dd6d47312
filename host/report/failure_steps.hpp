// The last steps of a failure's threads, side by side. Called by the printers of failures and of
// explanations.
#pragma once

#include <string>

#include "host/describe/failure.hpp"
#include "host/report/text.hpp"

namespace raddle {

// In the order of execution, with the place of the failure marked. Empty if no step is known.
std::string failure_steps(const Failure& failure, const TextOptions& options);

// What stands under a thread's last step: where the failure is, or what the thread waits for.
std::string mark_words(const Failure& failure, const ThreadLine& thread);

}  // namespace raddle
