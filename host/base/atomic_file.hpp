// Writes a file so that its name never shows half of it. Used for everything Raddle leaves on disk.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "host/base/result.hpp"

namespace raddle {

// Writes `bytes` to a temporary name in the same folder, syncs, and renames it to `path`, replacing
// what was there; something that is no regular file (/dev/stdout) is written to instead. On failure
// `path` is as it was, nothing else is left behind, and the error is one line that names the path
// and the reason. Threads and processes may do this at the same time.
Result<std::monostate> write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace raddle
