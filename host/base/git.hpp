// What git says. The user's own git, in the user's own checkout.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace raddle {

// Runs `git -C FOLDER WORDS...`. What it printed, if it ended with 0; what it complains of goes to
// `complaints`: where this process's own errors go, or nowhere.
enum class GitComplaints { kShown, kHidden };
Result<std::string> git_output(const std::string& folder, const std::vector<std::string>& words,
                               GitComplaints complaints = GitComplaints::kShown);

// The commit that is checked out in the folder, with "-dirty" behind it if files that git knows
// were changed since; empty if it is no checkout.
std::string checked_out_commit(const std::string& folder);

}  // namespace raddle
