#include "host/campaign/suite/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "host/campaign/suite/plans.hpp"
#include "protocol/report.hpp"

namespace raddle {
namespace {

// Tests on paper: `schedules` different ones, each plan's drawn from its index.
struct PaperTest {
  const char* name;
  std::uint32_t threads;
  std::uint64_t schedules;
  std::uint64_t fails_at = ~0ULL;  // a plan
  bool whole = false;
};

std::vector<SuiteTest> tests_of(const std::vector<PaperTest>& papers) {
  std::vector<SuiteTest> tests;
  for (const PaperTest& one : papers) tests.push_back({.name = one.name, .command = {one.name}});
  return tests;
}

ItemResult execute(const PaperTest& test, const Item& item) {
  ItemResult result;
  result.id = item.id;
  result.seconds = 0.001;
  if (item.kind == ItemKind::kProbe) {
    result.profile.threads = test.threads;
    result.profile.length = 100;
    result.profile.whole = test.whole;
    return result;
  }
  if (item.kind == ItemKind::kExplore) {
    result.complete = test.schedules <= item.to;
    result.plans.resize(std::min(test.schedules, item.to));
    return result;
  }
  for (std::uint64_t i = item.from; i < item.to; ++i) {
    PlanResult plan;
    plan.schedule = std::mt19937_64(i * 77 + 5)() % test.schedules;
    plan.steps = 100;
    if (i == test.fails_at) {
      plan.outcome = static_cast<std::uint8_t>(OutcomeKind::kAssertion);
      plan.shows = 1;
      result.shown = {"assertion | x"};
      result.findings.push_back({.key = "assertion | x",
                                 .kind = "assertion",
                                 .level = "failing",
                                 .message = "m",
                                 .replay = "r",
                                 .index = i,
                                 .times = 1});
    }
    result.plans.push_back(plan);
  }
  return result;
}

// All rounds, with the results of each in an order of its own.
SuiteRounds run(const std::vector<PaperTest>& papers, RoundOptions options, unsigned order,
                double item_seconds = 2) {
  options.item_seconds = item_seconds;
  SuiteRounds rounds(tests_of(papers), options);
  std::mt19937 random(order);
  for (int number = 0; number < 40; ++number) {
    std::vector<Item> items = rounds.next();
    if (items.empty()) break;
    std::shuffle(items.begin(), items.end(), random);
    for (const Item& item : items) {
      const auto paper = std::find_if(papers.begin(), papers.end(), [&](const PaperTest& one) {
        return one.name == item.test.name;
      });
      rounds.add(item, execute(*paper, item));
    }
  }
  return rounds;
}

TEST(SuiteRounds, TheSameWhateverTheOrderAndTheItemsSize) {
  const std::vector<PaperTest> papers = {
      {"few", 2, 5}, {"many", 2, 1ULL << 40, 300}, {"single", 1, 1}, {"some", 3, 500}};
  RoundOptions options;
  options.executions = 20000;
  const SuiteRounds first = run(papers, options, 1);
  for (const unsigned order : {2U, 3U}) {
    const SuiteRounds other = run(papers, options, order, order == 2 ? 0.02 : 10);
    for (std::size_t i = 0; i < papers.size(); ++i) {
      EXPECT_EQ(first.tests()[i].digest, other.tests()[i].digest) << papers[i].name;
      EXPECT_EQ(first.tests()[i].executions, other.tests()[i].executions);
      EXPECT_EQ(first.tests()[i].findings.size(), other.tests()[i].findings.size());
    }
  }
  EXPECT_EQ(first.executions(), 20000U);
  EXPECT_EQ(first.tests()[1].findings.begin()->second.index, 300U);
}

TEST(SuiteRounds, TimeGoesWhereSomethingNewComesFrom) {
  RoundOptions options;
  options.executions = 20000;
  const SuiteRounds rounds =
      run({{"few", 2, 5}, {"many", 2, 1ULL << 40}, {"single", 1, 1}}, options, 1);
  EXPECT_EQ(rounds.tests()[2].executions, 0U);  // one thread, one schedule
  EXPECT_TRUE(rounds.tests()[0].exhausted());
  EXPECT_FALSE(rounds.tests()[1].exhausted());
  // Enough to say that nothing new comes, and a tenth of what the other one gets.
  EXPECT_LT(10 * rounds.tests()[0].executions, rounds.tests()[1].executions);
}

TEST(SuiteRounds, WhatIsExploredCompletelyGetsNoMore) {
  RoundOptions options;
  options.executions = 40000;
  const auto tests = run({{"few", 2, 50, ~0ULL, true},
                          {"more", 2, 700, ~0ULL, true},
                          {"many", 2, 1ULL << 40, ~0ULL, true},
                          {"half seen", 2, 50}},
                         options, 1)
                         .tests();
  EXPECT_TRUE(tests[0].complete);
  EXPECT_EQ(tests[0].risk(), 0);
  // One exploration, and its share of the first round of the search.
  EXPECT_LT(tests[0].executions, 50U + 200U);
  // The first exploration is too short, and a later one is not: by then few schedules are new.
  EXPECT_TRUE(tests[1].complete);
  EXPECT_FALSE(tests[2].complete);
  EXPECT_EQ(tests[2].explored, 200U);  // tried once, and then never again
  EXPECT_FALSE(tests[3].complete);
  EXPECT_EQ(tests[3].explored, 0U);
}

TEST(SuiteRounds, ChangedTestsGetMore) {
  RoundOptions options;
  options.executions = 4000;
  options.changed = {"b"};
  const SuiteRounds rounds = run({{"a", 2, 1ULL << 40}, {"b", 2, 1ULL << 40}}, options, 1);
  EXPECT_GT(rounds.tests()[1].executions, 2 * rounds.tests()[0].executions);
}

TEST(SuiteRounds, EndsAtTheRiskThatIsWanted) {
  RoundOptions options;
  options.until_risk = 0.01;
  const SuiteRounds rounds = run({{"many", 2, 1ULL << 40}}, options, 1);
  EXPECT_LE(rounds.tests()[0].risk(), 0.01);
  // z^2 / n <= 0.01: 361 executions of each strategy, and not many times that.
  EXPECT_GE(rounds.tests()[0].executions, 361 * strategies_in_turn());
  EXPECT_LE(rounds.tests()[0].executions, 4 * 361 * strategies_in_turn());
}

TEST(SuiteItem, SurvivesItsBytes) {
  Item item;
  item.id = "3.s64";
  item.kind = ItemKind::kCandidate;
  item.test = {.name = "t", .command = {"./t", "\xff\x01"}, .directory = "/d", .ok_exit = {3}};
  item.test.command[1] = "plain";
  item.candidate.key = ~0ULL;
  item.candidate.steps.push_back({.module = "m", .offset = 5, .role = AimRole::kStep});
  item.replay = std::string("\0\xff", 2);
  item.from = 64;
  const Result<Item> again = parse_item(item_bytes(item));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->test, item.test);
  EXPECT_EQ(again->candidate.steps, item.candidate.steps);
  EXPECT_EQ(again->replay, item.replay);
  EXPECT_EQ(again->candidate.key, item.candidate.key);
  // Nothing that anybody sends does more than be refused.
  const std::string bytes = item_bytes(item);
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string other = bytes;
    if (i % 2 == 0) other.resize(random() % other.size());
    for (unsigned n = random() % 6; n > 0 && !other.empty(); --n)
      other[random() % other.size()] = static_cast<char>(random());
    (void)parse_item(other);
    (void)parse_result(other);
  }
  ItemResult result;
  result.plans.push_back({.shows = 2});
  result.shown = {"one"};
  EXPECT_FALSE(parse_result(result_bytes(result)));
}

}  // namespace
}  // namespace raddle
