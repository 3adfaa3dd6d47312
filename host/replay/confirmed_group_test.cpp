#include "host/replay/confirmed_group.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

TEST(ConfirmedGroup, OfAFindingHasItsPlaces) {
  const ConfirmedGroup group{
      .what = Confirms::kAtomicSets, .place = 0xabc, .pattern = 11, .places = {1, 0xff}};
  const std::string text = confirmed_group_text(group);
  EXPECT_EQ(text,
            "confirmed | atomic-set | 0000000000000abc | b | 0000000000000001 | 00000000000000ff");
  EXPECT_EQ(parse_confirmed_group(text), group);
}

TEST(ConfirmedGroup, OfAViolationHasItsSteps) {
  const ConfirmedGroup group{.what = Confirms::kAtomicity, .steps = {Step{1}, Step{20}, Step{21}}};
  const std::string text = confirmed_group_text(group);
  EXPECT_EQ(text, "confirmed | atomicity | 1 | 14 | 15");
  EXPECT_EQ(parse_confirmed_group(text), group);
}

TEST(ConfirmedGroup, OthersHaveNone) {
  EXPECT_EQ(confirmed_group_text({.what = Confirms::kDeadlocks, .place = 1}), "");
  EXPECT_EQ(confirmed_group_text({.what = Confirms::kAtomicity, .steps = {Step{1}}}), "");
}

TEST(ConfirmedGroup, AnyTextIsReadOrRefused) {
  for (const char* text :
       {"", "confirmed", "confirmed | ", "confirmed | race", "confirmed | race | 1",
        "confirmed | race | 1 | ff", "confirmed | race | 1 | 0 | x", "confirmed | racer | 1 | 0",
        "confirmed | atomicity | ", "confirmed | atomicity | 1 | 2",
        "confirmed | atomicity | 1 | 2 | -3", "confirmed | atomicity | 1 | 2 | 3 | 4",
        "confirmed | atomicity | ffffffffffffffffff | 1 | 2", "assertion | main"}) {
    EXPECT_FALSE(parse_confirmed_group(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace raddle
