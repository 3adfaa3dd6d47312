// The alternate signal stack of a kernel thread, for the handlers of crashes (outcome/crash.cpp): a
// thread's own stack may be what overflowed.
#pragma once

namespace raddle {

// Called by whoever holds the token.
void* make_crash_stack();
// Called by the kernel thread that the stack is for.
void install_crash_stack(void* memory);

}  // namespace raddle
