// Stacks of the program's threads, the runtime's own frames left out.
#pragma once

#include "protocol/report.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// The calling thread's stack, innermost first. Returns the stack pointer where the program called
// the runtime; 0 if it was interrupted.
std::uint64_t capture_stack(Stack& stack);

// The stack of another thread, which has begun and not ended. That thread writes it down itself: it
// gets the token for as long as that takes. Called by the token's holder, who has it again
// afterwards.
std::uint64_t capture_other(Thread& thread, Stack& stack);

// The other end of capture_other(): `thread` got the token and finds Thread::capture set. Returns
// when the token came for another reason.
[[gnu::noinline, gnu::cold]] void show_stack(Thread& thread);

// The calling thread's innermost frames, at most so many; returns how many there are.
std::uint16_t capture_frames(std::uint64_t* pc, std::uint16_t capacity);

// Remembers where the calling thread is, in Thread::site_pc, for its step in the report.
void note_site(Thread& thread);

}  // namespace raddle
