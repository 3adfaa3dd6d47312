// Which raddle this is.
#pragma once

#include <string>

namespace raddle {

// "raddle 0.1.0 (a9c2da7)", with "-dirty" after the commit if files were changed since; without
// the commit where it was not built from a repository.
std::string version_text();

}  // namespace raddle
