#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "target/strategy/testing/lock_simulation.hpp"

namespace raddle {
namespace {

// The figures of Park and Sen (2008). The account's lock is 1: a thread takes it to look at the
// balance, and again to withdraw.
const std::string kSpend = "( L1 U1 L1 U1 )";

Plan atom_plan(std::uint64_t seed, std::uint32_t q, std::uint8_t blocks = kBlocksAnnotated) {
  Plan plan = plan_for("atom", seed);
  plan.pause_permille = q;
  plan.atomic_blocks = blocks;
  return plan;
}

// Some thread's first acquisition of lock 1, then another thread's, then the first one's second.
bool violated(const std::string& order) {
  std::istringstream words(order);
  std::string takers;
  for (std::string word; words >> word;) {
    if (word.substr(1) == "L1") takers += word[0];
  }
  return takers.find("010") != std::string::npos || takers.find("101") != std::string::npos ||
         takers == "0110" || takers == "1001" || takers.find("0110") != std::string::npos ||
         takers.find("1001") != std::string::npos;
}

int violations(const std::vector<std::string>& threads, std::uint32_t q, int executions,
               std::uint8_t blocks = kBlocksAnnotated) {
  int count = 0;
  for (int seed = 1; seed <= executions; ++seed) {
    Strategy& strategy = make_strategy(atom_plan(static_cast<std::uint64_t>(seed), q, blocks));
    Realised realised{};
    const PaperRun run = run_paper(strategy, threads, realised);
    EXPECT_FALSE(run.deadlock) << run.order;
    const bool seen = violated(run.order);
    if (realised.count > 0) {
      EXPECT_TRUE(seen) << run.order;
    }
    count += seen ? 1 : 0;
  }
  return count;
}

TEST(Atom, CreatesTheViolationOfFigure1AndFigure2Always) {
  EXPECT_EQ(violations({kSpend, kSpend}, 1000, 1000), 1000);
  const std::string f = "L2 U2 L3 U3 L4 U4 L5 U5 L6 U6 L7 U7 ";
  EXPECT_EQ(violations({kSpend, f + kSpend}, 1000, 1000), 1000);
}

// Each of the three acquisitions (first, in between, last) is for reading or not: eight cases. The
// oracle is the table of the unserializable interleavings, plus three writers in a row.
TEST(Atom, AReaderInBetweenChangesNothing) {
  const std::set<std::string> bad = {"SLS", "LLS", "SLL", "LSL", "LLL"};
  for (const std::string first : {"L", "S"}) {
    for (const std::string middle : {"L", "S"}) {
      for (const std::string last : {"L", "S"}) {
        const std::string block = "( " + first + "1 U1 " + last + "1 U1 )";
        int realised_in = 0;
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
          Strategy& strategy = make_strategy(atom_plan(seed, 1000));
          Realised realised{};
          run_paper(strategy, {block, middle + "1 U1"}, realised);
          realised_in += realised.count > 0 ? 1 : 0;
        }
        // The other thread comes first with probability 1/2, else in between. That it is in between
        // in fewer than 50 of 200 executions has a probability below 2^-50.
        const bool counts = bad.contains(first + middle + last);
        EXPECT_TRUE(counts ? realised_in >= 50 : realised_in == 0)
            << first << middle << last << " " << realised_in;
      }
    }
  }
}

// A reader that comes after the writer does not hide the writer.
TEST(Atom, AWriterAndThenAReaderInBetween) {
  int realised_in = 0;
  int together = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Strategy& strategy = make_strategy(atom_plan(seed, 0));
    Realised realised{};
    const PaperRun run = run_paper(strategy, {"( S1 U1 S1 U1 )", "L1 U1 S1 U1"}, realised);
    if (run.order.find("0S1 0U1 1L1 1U1 1S1 1U1 0S1") == std::string::npos) continue;
    ++together;
    realised_in += realised.count > 0 ? 1 : 0;
  }
  EXPECT_GT(together, 0);
  EXPECT_EQ(realised_in, together);
}

TEST(Atom, WithoutPausesItIsRandom) {
  // Figure 2 under a random schedule: the first thread (4 steps) is nearly always through before
  // the second has done its six other things (12 steps). At most a tenth.
  const std::string f = "L2 U2 L3 U3 L4 U4 L5 U5 L6 U6 L7 U7 ";
  EXPECT_LT(violations({kSpend, f + kSpend}, 0, 1000), 100);
  const int half = violations({kSpend, f + kSpend}, 500, 1000);
  // The strategy pauses the first thread with probability 0.5. Then the violation is certain,
  // unless the second thread is quicker, which is rare. 0.5 * 1000 = 500, sigma 16; four sigma and
  // the rare cases.
  EXPECT_GT(half, 430);
  EXPECT_LT(half, 600);
}

TEST(Atom, NeverWhereAnOuterLockForbidsIt) {
  // Figure 3: lock 9 around everything.
  EXPECT_EQ(violations({"( L9 L1 U1 L1 U1 U9 )", "( L9 L1 U1 L1 U1 U9 )"}, 1000, 1000), 0);
  // Figure 4 with input 'n': the second thread does not touch the account.
  EXPECT_EQ(violations({kSpend, "L2 U2"}, 1000, 1000), 0);
}

TEST(Atom, BlocksAreWhatThePlanSays) {
  // Without marks, and with the region of a lock as a block: one thread alone takes lock 9. The
  // other thread gets through its 16 steps before the first has taken lock 1 in less than one of
  // 1,000 executions. In all others it meets the first thread, which waits for it.
  const std::vector<std::string> unmarked = {
      "L9 L1 U1 L1 U1 U9", "L2 U2 L2 U2 L2 U2 L2 U2 L2 U2 L2 U2 L2 U2 L2 U2 L1 U1"};
  EXPECT_GE(violations(unmarked, 1000, 1000, kBlocksLocks), 990);
  EXPECT_LT(violations(unmarked, 1000, 1000, kBlocksAnnotated), 100);
}

TEST(Atom, ThePatternIsNamedByItsSteps) {
  Strategy& strategy = make_strategy(atom_plan(1, 1000));
  Realised realised{};
  const PaperRun run =
      run_paper(strategy, {kSpend, "L2 U2 L2 U2 L2 U2 L2 U2 L2 U2 L1 U1"}, realised);
  ASSERT_EQ(realised.used, 3U) << run.order;
  std::istringstream words(run.order);
  std::vector<std::string> steps;
  for (std::string word; words >> word;) steps.push_back(word);
  EXPECT_EQ(steps.at(realised.steps[0]), "0L1");
  EXPECT_EQ(steps.at(realised.steps[1]), "1L1");
  EXPECT_EQ(steps.at(realised.steps[2]), "0L1");
  EXPECT_LT(realised.steps[0], realised.steps[1]);
  EXPECT_LT(realised.steps[1], realised.steps[2]);
  EXPECT_EQ(realised.pauses, 1U);
}

TEST(Atom, NobodyIsHeldBackForLong) {
  // The second thread never takes lock 1 and does not end soon, so the monitor lets the first go
  // on.
  Plan plan = atom_plan(3, 1000);
  plan.max_pause = 10;
  std::string busy;
  for (int i = 0; i < 200; ++i) busy += "L2 U2 ";
  Strategy& strategy = make_strategy(plan);
  Realised realised{};
  const PaperRun run = run_paper(strategy, {kSpend, busy}, realised);
  const std::size_t end = run.order.rfind("0U1");
  EXPECT_LT(end, run.order.size() / 2) << run.order;
}

}  // namespace
}  // namespace raddle
