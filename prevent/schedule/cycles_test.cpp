#include "prevent/schedule/cycles.hpp"

#include <gtest/gtest.h>

#include "prevent/schedule/nearest.hpp"

namespace raddle::schedule {
namespace {

std::string cycle(const std::vector<std::string>& texts) {
  std::vector<Syntax> all;
  for (const std::string& text : texts) all.push_back(std::get<Syntax>(parse(text)));
  std::vector<NamedSyntax> named;
  for (std::size_t i = 0; i < all.size(); ++i) named.push_back({&all[i], std::to_string(i)});
  return find_cycle(named);
}

TEST(Cycles, AreFound) {
  EXPECT_EQ(cycle({"a -> b, b -> c, c -> a"}),
            "  `a` waits for `c`: `c -> a`\n"
            "  `c` waits for `b`: `b -> c`\n"
            "  `b` waits for `a`: `a -> b`");
  EXPECT_EQ(cycle({"a -> a"}), "  `a` waits for `a`: `a -> a`");
  EXPECT_EQ(cycle({"x -> a, a && [b] -> c, c -> b"}),
            "  `b` waits for `c`: `c -> b`\n"
            "  `c` waits for `b`: `a && [b] -> c`");
  EXPECT_EQ(cycle({"a#2 -> a"}), "  `a#2` waits for `a#2`: `a#2 -> a`");
  EXPECT_NE(cycle({"end@t -> b@t"}), "");
  EXPECT_NE(cycle({"a@t -> start@t"}), "");
  EXPECT_NE(cycle({"a@t -> b, b -> a"}), "");
  EXPECT_NE(cycle({"a+ -> b+, b -> a"}), "");
}

TEST(Cycles, OtherSchedulesHaveNone) {
  EXPECT_EQ(cycle({"a -> b, b -> c, a -> c"}), "");
  EXPECT_EQ(cycle({"a || b -> c, c -> b"}), "");
  EXPECT_EQ(cycle({"a -> b, b -> a#2, a#2 -> b#2"}), "");
  EXPECT_EQ(cycle({"a@t -> b, b -> a@u"}), "");
  EXPECT_EQ(cycle({"start@t -> a@t, a@t -> end@t"}), "");
  EXPECT_EQ(cycle({"a..b !-> c..d, b -> c"}), "");
}

TEST(Cycles, OfTwoSchedulesNameBoth) {
  EXPECT_EQ(cycle({"a -> b", "c -> d"}), "");
  EXPECT_EQ(cycle({"a -> b", "b -> a"}),
            "  `a` waits for `b`: `b -> a` of 1\n"
            "  `b` waits for `a`: `a -> b` of 0");
}

TEST(Nearest, NamesThatWereMisspelt) {
  const std::vector<std::string> names = {"beforeTake", "afterTake", "b"};
  EXPECT_EQ(nearest("beforTake", names), "beforeTake");
  EXPECT_EQ(nearest("beforeTkae", names), "beforeTake");
  EXPECT_EQ(nearest("BeforeTake", names), "beforeTake");
  EXPECT_EQ(nearest("full", names), "");
  EXPECT_EQ(nearest("a", names), "");
}

}  // namespace
}  // namespace raddle::schedule
