// What nobody but the stack can name, in programs that nobody instrumented: locks that are local
// variables, by the frame that they lie in, and threads that a library started, by the functions
// that they run. Found by unwinding, when the stream first meets them.
#pragma once

#include "protocol/shared_region.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// A new stream, which has met nothing.
void start_stack_names();

// The frame of some thread's stack that holds object.address, into `object`. Returns a number by
// which frame_stands() knows it, the one that it had before if that is not 0; 0 if it is on no
// stack, or too deep.
std::uint32_t find_frame(NewObject& object, std::uint32_t before);
// The frame is still the one that was found: what lies there, and is used by `code`, is the same
// variable.
bool frame_stands(std::uint32_t number, std::uint64_t address, std::uint64_t code);

// What stands for the thread in its thread_begin: its start routine or, where that is a library's
// helper that says nothing, its number, an address at which nothing can lie. (Instrumented code
// says itself what a thread runs.)
std::uint64_t thread_key(const Thread& thread);
// The running thread's functions, into `object`; false if they are known, or cannot be.
bool find_functions(Thread& thread, NewObject& object);

}  // namespace raddle
