// Thousands of small random programs: what one explorer reaches, all reach.
#include <fmt/format.h>

#include "host/explore/testing/paper_search.hpp"
#include "host/explore/testing/random_program.hpp"

namespace raddle::paper {
namespace {

constexpr std::uint64_t kLargest = 1500;  // schedules of a program that is worth the time

// What became of the comparisons of many programs.
struct Totals {
  std::uint64_t schedules = 0;
  std::uint64_t classes = 0;
  std::uint64_t reduced = 0;  // executions of dpor, without redundant ones
  std::uint64_t redundant = 0;
};

void compare(const Program& program, const std::string& what, Totals& totals) {
  const Reached dfs = explore(program, SearchOrder::kDfs, true, kLargest);
  if (dfs.counts.executions == kLargest) return;
  ASSERT_TRUE(dfs.complete);
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
  totals.schedules += dfs.counts.executions;
  totals.classes += dfs.classes.size();
  totals.reduced += dpor.counts.executions - dpor.counts.redundant;
  totals.redundant += dpor.counts.redundant;
}

Totals compare_all(Program (*program)(std::uint64_t seed), std::uint64_t part) {
  Totals totals;
  for (std::uint64_t seed = 0; seed < 120 && !testing::Test::HasFatalFailure(); ++seed)
    compare(program(seed * 10 + part), fmt::format("seed {}, part {}", seed, part), totals);
  fmt::print("{} schedules, {} classes: dpor executes {} and {} redundant ones\n", totals.schedules,
             totals.classes, totals.reduced, totals.redundant);
  return totals;
}

class Programs : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Random, Programs, testing::Range<std::uint64_t>(0, 10));

TEST_P(Programs, AllExplorersReachTheSame) {
  const Totals totals = compare_all(random_program, GetParam());
  // What fails is executed more often than once per class, and some executions are redundant.
  EXPECT_GE(totals.reduced, totals.classes);
  EXPECT_LT(double(totals.reduced + totals.redundant), 1.25 * double(totals.classes));
}

// Most executions end in a failure, and belong to no class then.
TEST_P(Programs, AllExplorersReachTheSameWhenThreadsFreeMemory) {
  const Totals totals = compare_all(random_program_that_frees, GetParam());
  EXPECT_GE(totals.reduced, totals.classes);
  EXPECT_LT(totals.reduced + totals.redundant, totals.schedules / 8);
}

TEST_P(Programs, AllExplorersReachTheSameWhenAThreadEndsTheProgram) {
  const Totals totals = compare_all(random_program_that_ends, GetParam());
  EXPECT_GE(totals.reduced, totals.classes);
  EXPECT_LT(double(totals.reduced + totals.redundant), 1.25 * double(totals.classes));
}

// The first word says what kind of failure it is; the others name instructions.
std::set<std::string> kinds_of(const std::set<std::string>& failures) {
  std::set<std::string> kinds;
  for (const std::string& failure : failures) kinds.insert(failure.substr(0, failure.find(' ')));
  return kinds;
}

// Who waits in a loop looks a few times in vain at most, or until it gives up. How often does not
// matter: all that the unrolled loop can see or leave, this finds.
TEST_P(Programs, LoopsThatGiveUpEndAsIfTheyWereNone) {
  std::uint64_t compared = 0;
  std::uint64_t loops = 0;
  std::uint64_t plain = 0;
  for (std::uint64_t seed = GetParam(); seed < 1200 && !testing::Test::HasFatalFailure();
       seed += 10) {
    const Program looped = random_program_that_gives_up(seed, false);
    const Program unrolled = random_program_that_gives_up(seed, true);
    const Reached all = explore(unrolled, SearchOrder::kDpor, false, 20'000);
    if (!all.complete) continue;
    ++compared;
    const std::string what = fmt::format("seed {}\n{}", seed, to_text(looped));
    const Reached dpor = explore(looped, SearchOrder::kDpor);
    ASSERT_TRUE(dpor.complete) << what;
    EXPECT_EQ(dpor.states, all.states) << what;
    EXPECT_EQ(kinds_of(dpor.failures), kinds_of(all.failures)) << what;
    loops += dpor.counts.executions;
    plain += all.counts.executions;
    const Reached dfs = explore(looped, SearchOrder::kDfs, false, kLargest);
    if (!dfs.complete) continue;
    EXPECT_EQ(dfs.states, all.states) << what;
    EXPECT_EQ(kinds_of(dfs.failures), kinds_of(all.failures)) << what;
  }
  fmt::print("{} programs: {} executions, unrolled {}\n", compared, loops, plain);
  EXPECT_GT(compared, 100U);
}

}  // namespace
}  // namespace raddle::paper
