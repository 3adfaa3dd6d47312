#include "host/campaign/harm/left_values.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

// T1 is one unit, T2 the other; T0 is neither.
struct Run {
  explicit Run(const std::string& text) : pipeline(AnalysisOptions{}) {
    auto observed = std::make_unique<ObservedRun>(pipeline.state());
    run.run = observed.get();
    pipeline.add(std::move(observed));
    trace_of(text).feed(pipeline);
    run.end = ~std::uint64_t{0};
    run.unit_of = [](const ObservedAccess& access) {
      const int thread = raw(access.thread);
      return thread == 1 || thread == 2 ? std::optional(thread - 1) : std::nullopt;
    };
  }
  Pipeline pipeline;
  UnitRun run;
};

LeftDifference compare(const std::string& here, const std::string& one, const std::string& other) {
  const Run first(here);
  const Run second(one);
  const Run third(other);
  return compare_left({first.run, second.run, third.run});
}

TEST(LeftValues, ALostUpdateLeavesWhatNoOrderLeaves) {
  const LeftDifference difference = compare("T1 r(x=0); T2 r(x=0)@1; T2 w(x=1)@2; T1 w(x=1)@3",
                                            "T1 r(x=0); T1 w(x=1)@3; T2 r(x=1)@1; T2 w(x=2)@2",
                                            "T2 r(x=0)@1; T2 w(x=1)@2; T1 r(x=1); T1 w(x=2)@3");
  EXPECT_EQ(difference.same, (std::vector<bool>{true, false, false}));
  ASSERT_EQ(difference.objects.size(), 1u);
  EXPECT_EQ(difference.objects[0].left, (std::vector<std::string>{"1", "2", "2"}));
}

TEST(LeftValues, ElementsThatOneInstructionWritesHaveNoOrder) {
  const LeftDifference difference = compare("T1 w(a[0]=1)@5; T2 w(a[1]=3)@5; T1 w(a[2]=2)@5",
                                            "T1 w(a[0]=1)@5; T1 w(a[1]=2)@5; T2 w(a[2]=3)@5",
                                            "T2 w(a[0]=3)@5; T1 w(a[1]=1)@5; T1 w(a[2]=2)@5");
  EXPECT_EQ(difference.same, (std::vector<bool>{true, true, true}));
}

TEST(LeftValues, ALostElementIsADifference) {
  const LeftDifference difference =
      compare("T1 w(a[0]=1)@5; T2 w(a[0]=3)@5; T0 r(a[1]=0)@9; T1 w(a[1]=0)@5; T2 w(a[1]=0)@5",
              "T1 w(a[0]=1)@5; T2 w(a[0]=1)@5; T2 w(a[1]=3)@5; T1 r(a[1]=3)@6",
              "T2 w(a[0]=3)@5; T1 w(a[1]=1)@5; T2 r(a[1]=1)@6; T1 r(a[0]=3)@6");
  EXPECT_FALSE(difference.same[1]);
  EXPECT_FALSE(difference.same[2]);
}

TEST(LeftValues, AddressesAreAlikeAndTimesDoNotCount) {
  const std::string address = "T1 r(p=93824992231424); T2 w(p=";
  LeftDifference difference = compare(address + "93824992231425)@2", address + "140737488347136)@2",
                                      address + "93824992239999)@2");
  EXPECT_TRUE(difference.same[1] && difference.same[2]);
  const std::string time = "T1 r(t=1767225600000000000); T2 w(t=17672256000000";
  difference = compare(time + "01000)@2", time + "02000)@2", time + "03000)@2");
  EXPECT_TRUE(difference.same[1] && difference.same[2]);
  EXPECT_EQ(difference.compared, 0u);
}

TEST(LeftValues, NullAndAnAddressDiffer) {
  const LeftDifference difference =
      compare("T1 r(p=0); T2 w(p=0)@2", "T1 r(p=0); T2 w(p=93824992231424)@2",
              "T1 r(p=0); T2 w(p=93824992231425)@2");
  EXPECT_FALSE(difference.same[1] || difference.same[2]);
}

TEST(LeftValues, WhatOneUnitAloneUsesDoesNotCount) {
  const LeftDifference difference =
      compare("T1 w(x=1); T2 w(y=1)", "T1 w(x=2); T2 w(y=2)", "T1 w(x=3); T2 w(y=3)");
  EXPECT_TRUE(difference.same[1] && difference.same[2]);
}

TEST(LeftValues, WhatCannotBeSeenDoesNotCount) {
  // A range has no values.
  LeftDifference difference =
      compare("T1 r(x=0); T2 wr(x,64)@2", "T1 r(x=0); T2 w(x=2)@3", "T1 r(x=0); T2 w(x=3)@3");
  EXPECT_EQ(difference.compared, 0u);
  // Here nobody touched x: its value is what others read before anybody wrote it.
  difference = compare("T0 local(x,8); T1 r(y=0); T2 r(y=0)",
                       "T0 local(x,8); T1 r(x=5)@2; T2 w(x=5)@3; T1 r(y=0); T2 r(y=0)",
                       "T0 local(x,8); T1 r(x=5)@2; T2 w(x=6)@3; T1 r(y=0); T2 r(y=0)");
  EXPECT_TRUE(difference.same[1]);
  EXPECT_FALSE(difference.same[2]);
}

TEST(LeftValues, AVectorThatGrowsTakesItsElementsAlong) {
  // The first block has room for one; its element is copied as a range, which nobody sees.
  const std::string grow = "T0 alloc(a,8); T0 alloc(b,32); ";
  const LeftDifference difference =
      compare(grow +
                  "T1 w(a=1)@5; T2 wr(b,8)@7; T2 w(b+8=3)@5; T1 w(b+16=2)@5; T2 r(b+16=2)@5; T1 "
                  "r(b+8=3)@5; T0 free(a)",
              grow +
                  "T1 w(a=1)@5; T1 wr(b,8)@7; T1 w(b+8=2)@5; T2 w(b+16=3)@5; T2 r(b+8=2)@5; T1 "
                  "r(b+16=3)@5; T0 free(a)",
              grow +
                  "T2 w(a=3)@5; T1 wr(b,8)@7; T1 w(b+8=1)@5; T1 w(b+16=2)@5; T2 r(b+8=1)@5; T2 "
                  "r(b+16=2)@5; T0 free(a)");
  EXPECT_TRUE(difference.same[1] && difference.same[2]);
}

TEST(LeftValues, FreedMemoryIsLeftByNobody) {
  const std::string node = "T0 alloc(n,64); T1 w(n=";
  const LeftDifference difference =
      compare(node + "1)@2; T2 r(n=1)@3; T0 free(n)", node + "2)@2; T2 r(n=2)@3; T0 free(n)",
              node + "3)@2; T2 r(n=3)@3; T0 free(n)");
  EXPECT_TRUE(difference.same[1] && difference.same[2]);
}

// In the first run the object is already gone when both units are over: that is a third thread's
// doing.
TEST(LeftValues, WhatIsFreedEarlierInOneRunDoesNotCount) {
  const std::string node = "T0 alloc(n,64); T1 w(n=93824992231424)@2; T2 r(n=93824992231424)@3";
  LeftDifference difference = compare(node + "; T0 free(n)", node, node);
  EXPECT_TRUE(difference.same[1] && difference.same[2]);
  difference = compare(node, node + "; T0 free(n)", node);
  EXPECT_TRUE(difference.same[1] && difference.same[2]);
}

// Both units use the block that has the same address in two runs; the first run's lies elsewhere.
TEST(LeftValues, WhatIsAllocatedElsewhereDoesNotCount) {
  const std::string first = "T0 alloc(m,64); T1 w(m=5)@2; T2 r(y=0)@4; T1 r(y=0)@4";
  const std::string other = "T0 alloc(n,64); T1 w(n=5)@2; T2 r(n=5)@3; T2 r(y=0)@4; T1 r(y=0)@4";
  const LeftDifference difference = compare(first, other, other);
  EXPECT_TRUE(difference.same[1] && difference.same[2]);
}

}  // namespace
}  // namespace raddle
