#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kSelectedSite = 7;
constexpr std::uint64_t kOtherSite = 8;

// "s" is a selected event, "." another operation.
Body body(int thread, const std::string& events) {
  Body steps;
  for (const char event : events) {
    steps.push_back(operation(thread, OpKind::memory_write, event == 's' ? 1 : 2));
    steps.back().site = event == 's' ? kSelectedSite : kOtherSite;
  }
  return steps;
}

std::vector<AimSite> aims_of(const std::vector<std::string>& texts) {
  std::vector<AimSite> aims = {{.site = kSelectedSite, .context = 0, .role = AimRole::kSelected}};
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const auto events = std::count(texts[t].begin(), texts[t].end(), 's');
    const ThreadWork work{static_cast<std::uint16_t>(t), 0, static_cast<std::uint32_t>(events)};
    aims.push_back({.site = packed(work), .context = 0, .role = AimRole::kWork});
  }
  return aims;
}

// How often each order of the selected events comes about; by thread, as "01201".
std::map<std::string, double> orders(const std::vector<std::string>& texts, std::uint64_t seeds) {
  const std::vector<AimSite> aims = aims_of(texts);
  std::vector<Body> threads;
  for (std::size_t t = 0; t < texts.size(); ++t)
    threads.push_back(body(static_cast<int>(t), texts[t]));
  std::map<std::string, double> counts;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Strategy& strategy = make_strategy(plan_for("surw", seed));
    Realised realised{};
    strategy.brief(aims, realised);
    std::vector<std::size_t> done(threads.size(), 0);
    std::string order;
    for (const int t : run(strategy, threads)) {
      const auto at = static_cast<std::size_t>(t);
      if (texts[at][done[at]++] == 's') order += static_cast<char>('0' + t);
    }
    ++counts[order];
  }
  return counts;
}

// Sum of (seen - expected)^2 / expected over all orders that there are, seen or not.
double chi_square(const std::map<std::string, double>& counts, double seeds, double possible) {
  const double expected = seeds / possible;
  double sum = (possible - double(counts.size())) * expected;
  for (const auto& [order, seen] : counts) sum += (seen - expected) * (seen - expected) / expected;
  return sum;
}

TEST(Surw, InterleavingsOfTheSelectedEventsAreUniform) {
  // Threads with 3, 2 and 1 selected events, among others in very different numbers and places:
  // 6! / (3! 2! 1!) = 60 orders. 12,000 seeds: 200 of each are expected. Chi-square with 59
  // degrees of freedom; by Wilson and Hilferty it exceeds
  //   59 * (1 - 2 / (9 * 59) + 4.7534 * sqrt(2 / (9 * 59)))^3 = 59 * (0.99623 + 0.29172)^3 = 126.1
  // with probability 1e-6 (4.7534 is that quantile of the normal distribution).
  const std::map<std::string, double> counts =
      orders({"s..s.......s", "ss", "...........s"}, 12'000);
  EXPECT_EQ(counts.size(), 60U);
  EXPECT_LT(chi_square(counts, 12'000, 60), 126.1);
}

TEST(Surw, TheTestWouldNoticeAWalkThatIsNotUniform) {
  // A coin at every step, as `random` has it, favours threads with few operations.
  std::map<std::string, double> counts;
  const std::vector<Body> threads = {body(0, "sss"), body(1, "ss"), body(2, "s")};
  for (std::uint64_t seed = 0; seed < 12'000; ++seed)
    ++counts[text_of(run(make_strategy(plan_for("random", seed)), threads))];
  EXPECT_GT(chi_square(counts, 12'000, 60), 126.1);
}

// A program on paper in which thread 0 creates the others at its operations "c".
std::string run_creating(Strategy& strategy, const std::vector<std::string>& texts) {
  std::vector<Body> threads;
  for (std::size_t t = 0; t < texts.size(); ++t)
    threads.push_back(body(static_cast<int>(t), texts[t]));
  std::vector<std::size_t> done(threads.size(), 0);
  std::size_t exist = 1;
  std::string order;
  for (std::uint64_t step = 0;; ++step) {
    std::vector<const Pending*> enabled;
    for (std::size_t t = 0; t < exist; ++t) {
      if (done[t] < threads[t].size()) enabled.push_back(&threads[t][done[t]]);
    }
    if (enabled.empty()) return order;
    const std::size_t t = raw(enabled.at(strategy.choose({enabled, kMainThread, step}))->thread);
    const char event = texts[t][done[t]++];
    if (event == 's') order += static_cast<char>('0' + t);
    if (event == 'c') strategy.on_create(static_cast<ThreadId>(exist++));
  }
}

TEST(Surw, ThreadsThatAreYetToBeCreatedCount) {
  // Thread 0 creates three threads with 2 selected events each, and has none itself: 6! / 2!^3 = 90
  // orders. 9,000 seeds: 100 of each. 89 degrees of freedom, so as above the limit is
  //   89 * (1 - 2 / (9 * 89) + 4.7534 * sqrt(2 / (9 * 89)))^3 = 89 * (0.99750 + 0.23752)^3 = 167.6
  const std::vector<std::string> texts = {"c...c.c", "s....s", "ss", ".s.s"};
  const std::vector<AimSite> aims = aims_of(texts);
  std::map<std::string, double> counts;
  for (std::uint64_t seed = 0; seed < 9'000; ++seed) {
    Strategy& strategy = make_strategy(plan_for("surw", seed));
    Realised realised{};
    strategy.brief(aims, realised);
    ++counts[run_creating(strategy, texts)];
  }
  EXPECT_EQ(counts.size(), 90U);
  EXPECT_LT(chi_square(counts, 9'000, 90), 167.6);
}

TEST(Surw, WrongCountsLeaveNobodyOut) {
  // The plan knows nothing of thread 2, and too little of thread 1: everything still happens.
  const std::vector<std::string> texts = {"ss", "sssss", "sss"};
  std::vector<AimSite> aims = aims_of({"ss", "s"});
  std::vector<Body> threads;
  for (std::size_t t = 0; t < texts.size(); ++t)
    threads.push_back(body(static_cast<int>(t), texts[t]));
  std::map<std::string, int> orders;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Strategy& strategy = make_strategy(plan_for("surw", seed));
    Realised realised{};
    strategy.brief(aims, realised);
    ++orders[text_of(run(strategy, threads))];
  }
  EXPECT_GT(orders.size(), 50U);
}

TEST(Surw, ALoopThatReadsAndYieldsHoldsNobodyBackForLong) {
  // Thread 0 reads and yields 400 times before its selected event. Whoever was drawn, thread 1
  // comes to its own within 2 * 65 steps: more than 64 of these are idle then.
  Body waits;
  for (int i = 0; i < 400; ++i) {
    waits.push_back(operation(0, OpKind::atomic_load, 2));
    waits.back().site = kOtherSite;
    waits.push_back(operation(0, OpKind::yield, 0));
  }
  waits.push_back(body(0, "s").front());
  const std::vector<AimSite> aims = aims_of({"s", "s"});
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Strategy& strategy = make_strategy(plan_for("surw", seed));
    Realised realised{};
    strategy.brief(aims, realised);
    EXPECT_LE(text_of(run(strategy, {waits, body(1, "s")})).find('1'), 130U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace raddle
