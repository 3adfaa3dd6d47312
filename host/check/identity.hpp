// Which test of which build an execution belongs to, as hashes of 24 bits.
#pragma once

#include <string_view>

#include "host/check/replay_string.hpp"

namespace raddle {

// `test` is the framework's name of it, may be empty; `file` and `line` are those of the call of
// check(). The build is that of the running program: its build id, or its file where it has none.
TestIdentity identity_of(std::string_view test, std::string_view file, unsigned line);

}  // namespace raddle
