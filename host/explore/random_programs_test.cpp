// Thousands of small random programs: what one explorer reaches, all reach.
#include <fmt/format.h>

#include "host/explore/testing/paper_search.hpp"
#include "host/explore/testing/random_program.hpp"

namespace raddle::paper {
namespace {

constexpr std::uint64_t kLargest = 1500;  // schedules of a program that is worth the time

class Programs : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Random, Programs, testing::Range(0, 10));

TEST_P(Programs, AllExplorersReachTheSame) {
  std::uint64_t classes = 0;
  std::uint64_t reduced = 0;
  std::uint64_t redundant = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const Program program = random_program(seed * 10 + static_cast<std::uint64_t>(GetParam()));
    const Reached dfs = explore(program, SearchOrder::kDfs, true, kLargest);
    if (dfs.counts.executions == kLargest) continue;
    ASSERT_TRUE(dfs.complete);
    const std::string what = fmt::format("seed {}, part {}", seed, GetParam());
    for (const SearchOrder order : {SearchOrder::kBfs, SearchOrder::kIcb}) {
      const Reached other = explore(program, order);
      ASSERT_TRUE(other.complete) << what;
      ASSERT_EQ(other.counts.executions, dfs.counts.executions) << what;
      ASSERT_EQ(other.counts.by_preemptions, dfs.counts.by_preemptions) << what;
      ASSERT_EQ(other.states, dfs.states) << what;
      ASSERT_EQ(other.failures, dfs.failures) << what;
    }
    const Reached dpor = explore(program, SearchOrder::kDpor, true);
    ASSERT_TRUE(dpor.complete) << what;
    ASSERT_EQ(dpor.states, dfs.states) << what;
    ASSERT_EQ(dpor.failures, dfs.failures) << what;
    // Each class that is not cut off by a failure, and each once.
    ASSERT_EQ(dpor.classes.size(), dfs.classes.size()) << what;
    for (const auto& [name, times] : dpor.classes) {
      ASSERT_EQ(times, 1) << what;
      ASSERT_TRUE(dfs.classes.contains(name)) << what;
    }
    ASSERT_TRUE(dfs.classes_agree) << what << ": the same class leads to different states";
    all += dfs.counts.executions;
    classes += dfs.classes.size();
    reduced += dpor.counts.executions - dpor.counts.redundant;
    redundant += dpor.counts.redundant;
  }
  RecordProperty("classes", std::to_string(classes));
  fmt::print("{} schedules, {} classes: dpor executes {} and {} redundant ones\n", all, classes,
             reduced, redundant);
  // What fails is executed more often than once per class, and some executions are redundant.
  EXPECT_GE(reduced, classes);
  EXPECT_LT(double(reduced + redundant), 1.25 * double(classes));
}

}  // namespace
}  // namespace raddle::paper
