#pragma once

namespace raddle {

// Destructors of the calling thread's pthread keys, in rounds as POSIX says.
void run_key_destructors();

}  // namespace raddle
