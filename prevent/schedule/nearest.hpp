// For names that were misspelt.
#pragma once

#include <string>
#include <vector>

namespace raddle::schedule {

// The name among `names` that `name` was probably meant to be; empty if none is near.
std::string nearest(const std::string& name, const std::vector<std::string>& names);

}  // namespace raddle::schedule
