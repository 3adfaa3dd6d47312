#include "host/cli/options/duration.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

using std::chrono::milliseconds;

TEST(ParseDuration, Units) {
  EXPECT_EQ(*parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(*parse_duration("10s"), milliseconds(10'000));
  EXPECT_EQ(*parse_duration("1.5s"), milliseconds(1500));
  EXPECT_EQ(*parse_duration("2m"), milliseconds(120'000));
  EXPECT_EQ(*parse_duration("1h"), milliseconds(3'600'000));
  EXPECT_EQ(*parse_duration("7"), milliseconds(7000));
}

TEST(ParseDuration, RefusesWhatIsNone) {
  for (const char* text : {"", "s", "ten", "0", "0s", "-1s", "1 s", "5x", "1e3s", "nan", "inf",
                           "25h", "99999999999999999999s", "10ss"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

}  // namespace
}  // namespace raddle
