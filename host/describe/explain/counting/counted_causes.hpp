// Semaphores, latches and barriers as causes: what lets more threads go on than it should, and what
// the failing thread went past last. Used by explanations alone.
#pragma once

#include <optional>

#include "host/describe/explanation.hpp"

namespace raddle {

// The failing thread took a semaphore while as many threads had it as it had to give, and one of
// them posted it twice.
std::optional<Explanation> find_posted_again(const KeptTrace& folded, const Failure& failure,
                                             Symbolizer& symbols);

// The failing thread waits at, arrives at or went last past a latch that is counted down more often
// than it was made for, or a barrier where more threads arrive than it was made for.
std::optional<Explanation> find_made_for_too_few(const KeptTrace& folded, const Failure& failure,
                                                 ThreadId thread, Symbolizer& symbols);

// Of a cause that is about an order: says what the failing thread went past, and takes back advice
// to wait for what that was to wait for. Of a latch or barrier that was made for too few, it says
// that instead. `trace` is not folded; `passing` is an execution that passes, if there is one: it
// may show more.
void add_passed(Explanation& explanation, const KeptTrace& trace, const Failure& failure,
                Symbolizer& symbols, const KeptTrace* passing = nullptr);

}  // namespace raddle
