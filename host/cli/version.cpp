// The only file that depends on the commit: another one compiles this anew, and nothing else.
#include "host/cli/version.hpp"

#include "raddle_commit.h"

namespace raddle {

std::string version_text() {
  const std::string commit = RADDLE_COMMIT;
  const std::string version = "raddle " RADDLE_VERSION;
  return commit.empty() ? version : version + " (" + commit + ")";
}

}  // namespace raddle
