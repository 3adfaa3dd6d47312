// A semaphore, of a library's or made by hand, that is taken and not given back. Used by
// explanations of a hang alone.
#pragma once

#include <optional>

#include "host/describe/explanation.hpp"

namespace raddle {

// `waiter` waits for what others took, and one of them ended, or it took that itself. In `trace`,
// `await` takes from the semaphore and `signal` gives back.
std::optional<Explanation> explain_kept_permit(const KeptTrace& trace, const Failure& failure,
                                               const ThreadLine& waiter, std::uint64_t semaphore,
                                               Symbolizer& symbols);

// The same of a number that threads count down by one to take, and up to give back, with a
// condition on which they wait while it is 0.
std::optional<Explanation> explain_permit_by_hand(const KeptTrace& trace, const Failure& failure,
                                                  Symbolizer& symbols);

}  // namespace raddle
