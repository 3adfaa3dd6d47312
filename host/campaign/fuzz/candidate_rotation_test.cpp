#include "host/campaign/fuzz/candidate_rotation.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace raddle {
namespace {

// How many executions each candidate gets if the ones with a rate come about that often.
std::vector<std::uint64_t> share_out(const std::vector<double>& rates, std::uint64_t executions,
                                     std::uint64_t at_a_time = 1) {
  CandidateRotation sharing(rates.size());
  std::mt19937 random(7);
  std::vector<std::uint64_t> given(rates.size());
  std::deque<std::pair<std::uint64_t, bool>> running;
  const auto end_one = [&] {
    sharing.ended(running.front().first, running.front().second, running.front().second);
    running.pop_front();
  };
  for (std::uint64_t i = 0; i < executions; ++i) {
    while (i >= sharing.may_ask() || running.size() >= at_a_time) end_one();
    const std::size_t candidate = sharing.candidate_of(i);
    ++given[candidate];
    // What an execution shows is a function of its number, as with seeds.
    random.seed(static_cast<unsigned>(i));
    running.emplace_back(i, std::uniform_real_distribution<>()(random) < rates[candidate]);
  }
  return given;
}

TEST(CandidateRotation, GivesEveryCandidateItsTries) {
  const std::vector<double> rates(100, 0.0);
  for (const std::uint64_t given : share_out(rates, 300))
    EXPECT_EQ(given, CandidateRotation::kTries);
}

TEST(CandidateRotation, GoesOnWithWhatComesAbout) {
  std::vector<double> rates(40, 0.0);
  rates[5] = 0.9;
  rates[31] = 0.8;
  const std::vector<std::uint64_t> given = share_out(rates, 2000);
  // 38 candidates have 3 tries each and one in eight of the rest: (2000 - 114) / 8 = 236 at most,
  // so the two have at least 2000 - 114 - 236 = 1650.
  EXPECT_GE(given[5] + given[31], 1600u);
  EXPECT_GT(given[31], 600u);  // both of them, and not the first alone
  for (const std::uint64_t one : given) EXPECT_GE(one, CandidateRotation::kTries);
}

TEST(CandidateRotation, RetriesWhatNeverCameAbout) {
  const std::vector<double> rates{1.0, 0.0, 0.0};
  const std::vector<std::uint64_t> given = share_out(rates, 1600);
  // A third of the first two batches, which know nothing; then one in eight, for two of them:
  // 64 / 3 + 1536 / 16 = 117.
  EXPECT_NEAR(static_cast<double>(given[1]), 117, 4);
  EXPECT_NEAR(static_cast<double>(given[2]), 117, 4);
}

TEST(CandidateRotation, TakesNobodysWordForIt) {
  CandidateRotation sharing(2);
  std::uint64_t looks = 0;
  std::uint64_t given[2] = {};
  for (std::uint64_t i = 0; i < 3200; ++i) {
    const std::size_t candidate = sharing.candidate_of(i);
    ++given[candidate];
    // The strategy says of the first that it comes about every time; no detector ever sees it.
    if (candidate == 0 && sharing.wants_look(i)) ++looks;
    sharing.ended(i, true, candidate == 1);
  }
  EXPECT_GE(looks, CandidateRotation::kMostLooks);
  EXPECT_LE(looks, CandidateRotation::kMostLooks + 2 * CandidateRotation::kBatch);
  EXPECT_NEAR(static_cast<double>(given[0]), 3200 / 8, 2 * double{CandidateRotation::kBatch});
}

TEST(CandidateRotation, DoesNotDependOnHowManyRunAtATime) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> rates(1 + random() % 60);
    for (double& rate : rates) rate = random() % 3 == 0 ? 0.01 * double(random() % 100) : 0;
    const std::vector<std::uint64_t> alone = share_out(rates, 500);
    EXPECT_EQ(alone, share_out(rates, 500, 2 + random() % 40));
  }
}

TEST(CandidateRotation, NeverLagsByMoreThanTwoBatches) {
  CandidateRotation sharing(3);
  EXPECT_EQ(sharing.may_ask(), 2 * CandidateRotation::kBatch);
  for (std::uint64_t i = 0; i < CandidateRotation::kBatch; ++i) sharing.ended(i, false, false);
  EXPECT_EQ(sharing.may_ask(), 3 * CandidateRotation::kBatch);
  sharing.ended(1'000'000, true, true);  // one that nobody asked for
  EXPECT_EQ(sharing.may_ask(), 3 * CandidateRotation::kBatch);
}

}  // namespace
}  // namespace raddle
