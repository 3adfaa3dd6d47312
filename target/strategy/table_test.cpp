#include "target/strategy/table.hpp"

#include <gtest/gtest.h>

#include <set>

#include "protocol/generator.hpp"
#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

TEST(Table, EveryStrategyIsFoundByItsName) {
  std::set<std::string> names;
  for (const StrategyEntry& entry : strategies()) {
    EXPECT_EQ(find_strategy(entry.name), &entry);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_LT(std::strlen(entry.name), sizeof(Plan::strategy)) << "it must fit into a plan";
    EXPECT_NE(entry.summary[0], 0) << entry.name;
  }
  EXPECT_EQ(names, (std::set<std::string>{"random", "pct", "pos", "surw", "rff", "round-robin",
                                          "non-preemptive", "systematic", "atom", "race",
                                          "lifetime", "deadlock", "asset"}));
}

TEST(Table, UnknownNames) {
  EXPECT_EQ(find_strategy(""), nullptr);
  EXPECT_EQ(find_strategy("Random"), nullptr);
  EXPECT_EQ(find_strategy("random "), nullptr);
}

// What every strategy promises.
class EveryStrategy : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Table, EveryStrategy,
                         testing::Values("random", "pct", "pos", "surw", "rff", "round-robin",
                                         "non-preemptive", "systematic"),
                         [](const auto& strategy) {
                           std::string name = strategy.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// An execution in which threads come, block and go at random. The randomness is from `shape`, not
// from the strategy.
std::string eventful(Strategy& strategy, std::uint64_t shape) {
  Generator generator(shape);
  std::vector<Pending> pending = {operation(0, OpKind::mutex_lock, 1)};
  std::string order;
  for (int step = 0; step < 300; ++step) {
    if (generator.below(10) == 0 && pending.size() < 60) {
      int id = static_cast<int>(pending.size());
      pending.push_back(operation(id, OpKind::thread_begin, 100 + static_cast<std::uint32_t>(id)));
      strategy.on_create(static_cast<ThreadId>(id));
    }
    std::vector<const Pending*> enabled;
    for (const Pending& p : pending) {
      if (generator.below(4) != 0) enabled.push_back(&p);
    }
    if (enabled.empty()) enabled.push_back(&pending[0]);
    std::size_t chosen = strategy.choose({enabled, kMainThread, 0});
    EXPECT_LT(chosen, enabled.size());
    order += static_cast<char>('0' + raw(enabled.at(chosen)->thread));
    std::uint32_t value = strategy.choose_value(kMainThread, 2 + step % 7);
    EXPECT_LT(value, 2U + step % 7);
    order += static_cast<char>('a' + value);
    Pending& moved = pending[raw(enabled.at(chosen)->thread)];
    moved.op = generator.below(5) == 0 ? OpKind::yield : OpKind::mutex_unlock;
    moved.object = ObjectId{moved.op == OpKind::yield ? 0 : 1 + std::uint32_t(generator.below(5))};
  }
  return order;
}

TEST_P(EveryStrategy, ThreadsComeAndGo) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Plan plan = plan_for(GetParam(), seed);
    plan.pct_depth = 4;
    eventful(make_strategy(plan), seed + 1000);
  }
}

TEST_P(EveryStrategy, TheSamePlanGivesTheSameChoices) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Plan plan = plan_for(GetParam(), seed);
    plan.pct_depth = 3;
    std::string first = eventful(make_strategy(plan), seed);
    EXPECT_EQ(eventful(make_strategy(plan), seed), first) << "seed " << seed;
  }
}

TEST_P(EveryStrategy, TheHighestThreadNumbersWork) {
  Strategy& strategy = make_strategy(plan_for(GetParam(), 1));
  constexpr int kLast = 0xfffd;
  for (int id = 1; id <= kLast; ++id) strategy.on_create(static_cast<ThreadId>(id));
  Pending pending[] = {operation(0, OpKind::mutex_lock, 1),
                       operation(kLast, OpKind::mutex_lock, 1)};
  std::vector<const Pending*> enabled = {&pending[0], &pending[1]};
  for (int i = 0; i < 10; ++i) EXPECT_LT(strategy.choose({enabled, kMainThread, 0}), 2U);
}

TEST_P(EveryStrategy, NobodyStarvesBehindThreadsThatYield) {
  std::vector<Body> threads = {repeated(0, 1000, 0, OpKind::yield),
                               repeated(1, 1000, 0, OpKind::spin), repeated(2, 1, 1)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<int> order = run(make_strategy(plan_for(GetParam(), seed)), threads);
    std::size_t position = 0;
    while (order[position] != 2) ++position;
    // A coin with three sides misses 100 times in a row with probability (2/3)^100 < 10^-17.
    EXPECT_LT(position, 100U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace raddle
