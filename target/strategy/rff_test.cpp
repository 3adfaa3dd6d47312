#include <gtest/gtest.h>

#include "target/strategy/testing/lock_simulation.hpp"

namespace raddle {
namespace {

// Sites of lock_simulation.hpp: 10,000 times the thread plus 100 times the object, and the kind.
constexpr std::uint64_t read_at(int thread, int object) {
  return static_cast<std::uint64_t>(thread) * 10'000 + static_cast<std::uint64_t>(object) * 100;
}
constexpr std::uint64_t write_at(int thread, int object) { return read_at(thread, object) + 1; }
constexpr std::uint64_t lock_at(int thread, int object) { return read_at(thread, object) + 2; }
constexpr std::uint64_t unlock_at(int thread, int object) { return read_at(thread, object) + 3; }

std::vector<AimSite> constraint(std::uint64_t read, std::uint64_t write, bool positive,
                                const std::vector<std::uint64_t>& rivals = {}) {
  const std::uint8_t how = positive ? 1 : 0;
  std::vector<AimSite> aims = {
      {.site = read, .context = 0, .role = AimRole::kReads, .location = how},
      {.site = write, .context = 0, .role = AimRole::kSees, .location = how}};
  for (const std::uint64_t rival : rivals)
    aims.push_back({.site = rival, .context = 0, .role = AimRole::kRival, .location = how});
  return aims;
}

constexpr int kSeeds = 100;

struct Runs {
  int true_for = 0;  // executions in whose order `wanted` holds
  int realised = 0;
};

template <typename Wanted>
Runs run_all(const std::vector<std::string>& texts, const std::vector<AimSite>& aims,
             Wanted wanted) {
  Runs runs;
  for (int seed = 0; seed < kSeeds; ++seed) {
    Realised realised{};
    const PaperRun result = run_paper(
        make_strategy(plan_for("rff", static_cast<std::uint64_t>(seed))), texts, realised, aims);
    EXPECT_FALSE(result.deadlock);
    runs.true_for += wanted(result.order) ? 1 : 0;
    runs.realised += realised.count > 0 ? 1 : 0;
  }
  return runs;
}

// In the order "0W1 1R1 ..." the last write before the read is that one.
bool sees(const std::string& order, const std::string& write, const std::string& read) {
  const std::size_t at = order.find(read);
  return order.rfind('W', at) == order.find(write) + 1;
}

TEST(Rff, AReaderWaitsForItsWriter) {
  // Three writers with much to do before and after; the reader is to see thread 1's write.
  const std::vector<std::string> texts = {"R9 R9 W1 R9", "R9 R9 R9 R9 W1", "W1 R9 W1", "R1"};
  const auto wanted = [](const std::string& order) { return sees(order, "1W1", "3R1"); };
  const Runs with = run_all(texts, constraint(read_at(3, 1), write_at(1, 1), true), wanted);
  EXPECT_EQ(with.true_for, kSeeds);
  EXPECT_EQ(with.realised, kSeeds);
  // Without the constraint it is a matter of luck: the test would notice.
  EXPECT_LT(run_all(texts, {}, wanted).true_for, kSeeds * 3 / 4);
}

TEST(Rff, TheBeginningIsSeenBeforeAllRivals) {
  const std::vector<std::string> texts = {"W1", "W1", "W1", "R9 R9 R9 R9 R9 R9 R1"};
  const auto wanted = [](const std::string& order) { return order.find("3R1") < order.find("W1"); };
  const auto aims =
      constraint(read_at(3, 1), 0, true, {write_at(0, 1), write_at(1, 1), write_at(2, 1)});
  EXPECT_EQ(run_all(texts, aims, wanted).true_for, kSeeds);
  EXPECT_LT(run_all(texts, {}, wanted).true_for, kSeeds / 2);
}

TEST(Rff, ANegativeConstraintKeepsAReadFromAWrite) {
  const std::vector<std::string> texts = {"W1", "R9 R9 W1", "R1"};
  // If the other write came before it, nothing is left to wait for.
  const auto unwanted = [](const std::string& order) {
    return sees(order, "0W1", "2R1") && order.find("1W1") > order.find("2R1");
  };
  const auto aims = constraint(read_at(2, 1), write_at(0, 1), false);
  EXPECT_EQ(run_all(texts, aims, unwanted).true_for, 0);
  EXPECT_GT(run_all(texts, {}, unwanted).true_for, 10);
}

TEST(Rff, AnAcquisitionFollowsARelease) {
  const std::vector<std::string> texts = {"L1 U1", "R9 R9 R9 L1 U1", "L1 U1"};
  const auto wanted = [](const std::string& order) {
    const std::size_t release = order.rfind('U', order.find("2L1"));
    return release != std::string::npos && order[release - 1] == '1';
  };
  const auto aims = constraint(lock_at(2, 1), unlock_at(1, 1), true);
  EXPECT_EQ(run_all(texts, aims, wanted).true_for, kSeeds);
  EXPECT_LT(run_all(texts, {}, wanted).true_for, kSeeds * 3 / 4);
}

TEST(Rff, WhatCannotComeAboutStopsNobody) {
  // Thread 0 would have to see a write that comes after its own end.
  const std::vector<std::string> texts = {"R1 W2", "R2 W1"};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Realised realised{};
    auto aims = constraint(read_at(0, 1), write_at(1, 1), true);
    for (AimSite aim : constraint(read_at(1, 2), write_at(0, 2), true)) {
      aim.thread = 1;
      aims.push_back(aim);
    }
    const PaperRun result = run_paper(make_strategy(plan_for("rff", seed)), texts, realised, aims);
    EXPECT_EQ(result.order.size(), 4 * 4U);
    EXPECT_LE(realised.count, 1U);
  }
}

}  // namespace
}  // namespace raddle
