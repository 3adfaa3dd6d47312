// Tells of the program's first system call in an execution. As long as there was none, the state of
// the process is its memory: nothing was written to a file or read from one, mapped, or told to the
// kernel. Linux 5.11 has what that takes (syscall user dispatch): each call from code other than
// the runtime's own becomes a SIGSYS. After the first one nothing is watched any more, so an
// execution pays for one signal. What calls into the kernel does not matter: libc, other libraries,
// assembly.
#pragma once

#include <signal.h>

#include <cstdint>

namespace raddle {

// Calls from [begin, end), the runtime's code, are its own. False: this kernel, or this container,
// cannot tell; or the program handles SIGSYS itself.
bool can_watch_calls(std::uint64_t begin, std::uint64_t end);

// In the handler of SIGSYS. True: it was a call that is watched. It is made when the handler
// returns, and g_outside_untouched is 0.
bool is_watched_call(int signal, const siginfo_t& info, void* context);

}  // namespace raddle
