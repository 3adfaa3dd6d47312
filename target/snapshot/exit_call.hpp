// The last thing that exit() does: libc calls its own _exit() directly, past all interposition. So
// that function's first instructions are replaced, in this process's copy of the code.
#pragma once

namespace raddle {

// From here on _exit() in libc is `instead`. Null, or why that is not possible.
const char* redirect_exit(void (*instead)(int status));

}  // namespace raddle
