// What the compiler put into the program: modules built by raddle-cc, with the code of their hooks
// and their sites (protocol/hooks_abi.h), and objects compiled with -fsanitize=thread. Here it is
// only found and asked about; instrumented/ makes it work.
#pragma once

#include <cstdint>

#include "protocol/hooks_abi.h"

namespace raddle {

// What hooks and runtime share; null in a program without a module built by raddle-cc.
extern RaddleState* g_hooks_state;

// Looks for instrumented modules, when the library is there and again before the first fork. True
// if there are any.
bool find_hooks();

// The program has objects compiled with -fsanitize=thread.
void note_tsan_module();

// Some module of this program was instrumented.
bool is_instrumented();

// A sanitizer's allocator looks at what is freed itself (AddressSanitizer and its kin). Known after
// find_hooks().
bool has_checking_allocator();

// The site that the compiler put at this address; null if there is none there.
RaddleSite* described_site(std::uint64_t address);

// The address lies in the code of the hooks: not the program's own, and never a place to preempt.
bool in_hooks(std::uint64_t code);

// The site whose allocation is under way, for the interposed malloc: a RaddleSite or a code
// address; 0 if the caller of malloc is all there is.
std::uint64_t allocating_site();

}  // namespace raddle
