// Standard input for programs that run many times: every execution must read the same.
#pragma once

#include "host/base/result.hpp"
#include "host/base/unique_fd.hpp"

namespace raddle {

// What each execution gets as standard input: /dev/null for a terminal, the file itself for a
// regular file that is at its start, and else all that comes until the end, spooled into an unnamed
// file. Says so on standard error if that takes longer than a second.
Result<UniqueFd> repeatable_input();

}  // namespace raddle
