// Functions of the C and C++ libraries that the program calls and that may read or write its memory
// by themselves, where no hook sees it: sprintf, rand, the members of std::string. An explorer by
// order (dpor) needs no more than the order of the locks around such calls. One by values (causal)
// cannot know what a thread sees in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace raddle {

// As a person writes them, of the program and of the libraries that have hooks, each once. Left out
// are functions that are known to touch nothing that two threads could share, whose accesses have
// hooks, or whose effect the runtime sees: synchronisation, allocation, output, the ends of the
// process. `maps` and `program` as for unseen_code().
std::vector<std::string> library_calls(std::string_view maps, std::string_view program = {});

// Whether the function, by its linkage name, is one of those that are left out.
bool is_seen_through(std::string_view symbol);

}  // namespace raddle
