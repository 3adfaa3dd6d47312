// Where a debugger elsewhere connects to. Called by `raddle replay --gdbserver`: gdbserver itself
// would listen on all interfaces, whatever it is told.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/base/unique_fd.hpp"

namespace raddle {

// Listens on HOST:PORT, says so on standard error, and waits until somebody connects; the
// connection. A signal that ends the process ends it.
Result<UniqueFd> accept_debugger(const std::string& address);

}  // namespace raddle
