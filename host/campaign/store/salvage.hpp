// A store whose file is damaged: nothing of it is lost that can still be read, and nothing is
// written into it any more. Called when a store is opened.
#pragma once

#include <string>

namespace raddle {

// Moves the file (and its log) to PATH.damaged-N, and copies every row that can be read into a new
// store PATH.salvaged-N, which `raddle import' takes. The message is one line: the reason, where
// both are, what to do next.
std::string set_aside_damaged(const std::string& path, const std::string& reason);

}  // namespace raddle
