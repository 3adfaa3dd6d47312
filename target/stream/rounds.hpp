// Threads that go round in a loop with hooks: they call a hook in every round, which changes
// registers that nobody uses, so that two looks at them are never the same (outcome/sample.cpp).
// But the hooks can be asked: if a read comes again and again with the same address and value, and
// the caller's registers and innermost variables are as they were, and nothing was written in
// between, then the thread waits for another one.
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"

namespace raddle {

// A new execution, or the end of one. `state` is null in a program without hooks.
void forget_rounds(RaddleState* state);

// The running thread comes to no decision point, as the host sees: the next accesses are watched.
void watch_rounds();
// The same is asked when the hooks have written a lot: if that was all since the last step.
void many_events();

// At an access while they are. Where the loop is, if it is one that waits: a decision point; else
// 0.
extern bool g_rounds_watched;
std::uint64_t waits_in_rounds(const RaddleSite* site, const void* address);
// The access would have come to the runtime anyhow.
bool is_point(const RaddleSite* site);

}  // namespace raddle
