#include "host/cli/version.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace raddle {
namespace {

TEST(Version, HasTheCommitIfThereIsOne) {
  const std::regex expected("raddle " RADDLE_VERSION "( \\([0-9a-f]{7,40}(-dirty)?\\))?");
  EXPECT_TRUE(std::regex_match(version_text(), expected)) << version_text();
}

}  // namespace
}  // namespace raddle
