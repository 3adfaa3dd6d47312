#include "host/explore/search.hpp"

#include "host/explore/testing/paper_search.hpp"

namespace raddle::paper {
namespace {

std::uint64_t choose(std::uint64_t n, std::uint64_t k) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

// `count` steps that depend on nothing of another thread.
Body alone(int variable, int count) {
  return Body(static_cast<std::size_t>(count), {Code::kStore, variable, 1});
}

TEST(Search, IndependentStepsHaveAsManyOrdersAsThereAreWaysToMixThem) {
  for (int n = 1; n <= 6; ++n) {
    for (int m = 1; m <= 6; ++m) {
      const Program program{{alone(0, n), alone(1, m)}, {}};
      const std::uint64_t all = choose(std::uint64_t(n + m), std::uint64_t(n));
      for (const SearchOrder order : {SearchOrder::kDfs, SearchOrder::kBfs, SearchOrder::kIcb}) {
        const Reached reached = explore(program, order);
        EXPECT_TRUE(reached.complete);
        EXPECT_EQ(reached.counts.executions, all) << n << " " << m;
      }
      EXPECT_EQ(explore(program, SearchOrder::kDpor).counts.executions, 1U);
    }
  }
}

TEST(Search, ThreeThreads) {
  // 6! / (2! 2! 2!)
  const Program program{{alone(0, 2), alone(1, 2), alone(2, 2)}, {}};
  EXPECT_EQ(explore(program, SearchOrder::kDfs).counts.executions, 90U);
  EXPECT_EQ(explore(program, SearchOrder::kDpor).counts.executions, 1U);
}

TEST(Search, DependentStepsAreAllDifferent) {
  const Program program{{alone(0, 3), alone(0, 3)}, {}};
  EXPECT_EQ(explore(program, SearchOrder::kDfs).counts.executions, 20U);
  EXPECT_EQ(explore(program, SearchOrder::kDpor).counts.executions, 20U);
}

TEST(Search, TheBoundKeepsExactlyTheSchedulesWithSoManyPreemptions) {
  const Program program{{alone(0, 3), alone(0, 3), alone(1, 2)}, {}};
  const Reached all = explore(program, SearchOrder::kDfs);
  std::uint64_t below = 0;
  for (std::uint32_t bound = 0; bound < all.counts.by_preemptions.size(); ++bound) {
    below += all.counts.by_preemptions[bound];
    SearchOptions options;
    options.order = SearchOrder::kIcb;
    options.bound = bound;
    const Reached bounded = explore(program, options);
    EXPECT_TRUE(bounded.complete);
    EXPECT_EQ(bounded.counts.executions, below) << bound;
    EXPECT_EQ(bounded.counts.by_preemptions.size(), bound + 1);
    EXPECT_EQ(bounded.counts.beyond_bound == 0, bound + 1 == all.counts.by_preemptions.size());
  }
  EXPECT_EQ(below, 560U);  // 8! / (3! 3! 2!)
}

TEST(Search, PreemptionsComeInOrder) {
  // An increment that loses an update fails only with a preemption: icb needs 1 to get there.
  const Body increment = {{Code::kLoad, 0}, {Code::kStoreSum, 0, 1}};
  Body checked = increment;
  checked.insert(checked.end(), {{Code::kAwait, 1, 1}, {Code::kLoad, 0}, {Code::kFailIf, 1}});
  Body other = increment;
  other.push_back({Code::kStore, 1, 1});
  const Program program{{checked, other}, {}};
  SearchOptions options;
  options.order = SearchOrder::kIcb;
  options.bound = 0;
  EXPECT_TRUE(explore(program, options).failures.empty());
  options.bound = 1;
  EXPECT_EQ(explore(program, options).failures, std::set<std::string>{"assertion 0.4"});
}

TEST(Search, ADeadlockIsFoundWhicheverOrderComesFirst) {
  const Body one = {{Code::kLock, 0}, {Code::kLock, 1}, {Code::kUnlock, 1}, {Code::kUnlock, 0}};
  const Body two = {{Code::kLock, 1}, {Code::kLock, 0}, {Code::kUnlock, 0}, {Code::kUnlock, 1}};
  for (const SearchOrder order : {SearchOrder::kDfs, SearchOrder::kBfs, SearchOrder::kDpor}) {
    const Reached reached = explore(Program{{one, two}, {}}, order);
    EXPECT_EQ(reached.failures.size(), 1U);
    EXPECT_EQ(reached.states.size(), 1U);
  }
  // Two orders, and the deadlock.
  EXPECT_EQ(explore(Program{{one, two}, {}}, SearchOrder::kDpor).counts.executions, 3U);
}

TEST(Search, LocksAreTakenInEveryOrderOnce) {
  // n threads with one critical section each: n! classes.
  const Body body = {{Code::kLock, 0}, {Code::kAdd, 0, 1}, {Code::kUnlock, 0}};
  EXPECT_EQ(explore(Program{{body, body}, {}}, SearchOrder::kDpor).counts.executions, 2U);
  const Reached three = explore(Program{{body, body, body}, {}}, SearchOrder::kDpor, true);
  EXPECT_EQ(three.classes.size(), 6U);
  EXPECT_EQ(three.counts.executions - three.counts.redundant, 6U);
}

TEST(Search, AThreadThatComesLateToASemaphoreMayStillBeFirst) {
  // At the post, to which the other thread's wait is reversed first, that thread cannot pass: the
  // execution is cut off, and only what it waits for at the end tells of the wait before.
  const Body one = {{Code::kDown, 0}, {Code::kAdd, 0, 1}, {Code::kPost, 0}};
  Body late = alone(1, 1);
  late.insert(late.end(), one.begin(), one.end());
  const Program program{{one, late}, {1}};
  EXPECT_EQ(explore(program, SearchOrder::kDfs, true).classes.size(), 2U);
  EXPECT_EQ(explore(program, SearchOrder::kDpor, true).classes.size(), 2U);
}

TEST(Search, WhichWaiterWakesIsExplored) {
  // Three waiters, two signals: every pair of them can be the one that is woken.
  const Body waiter = {{Code::kLock, 0}, {Code::kWait, 0, 0}, {Code::kUnlock, 0}};
  const Body signaller = {{Code::kSignal, 0}, {Code::kSignal, 0}};
  const Program program{{waiter, waiter, waiter, signaller}, {}};
  const Reached dfs = explore(program, SearchOrder::kDfs);
  const Reached dpor = explore(program, SearchOrder::kDpor);
  EXPECT_TRUE(dfs.complete);
  EXPECT_TRUE(dpor.complete);
  EXPECT_EQ(dfs.failures, dpor.failures);
  EXPECT_LT(dpor.counts.executions, dfs.counts.executions / 10);
}

TEST(Search, LoopsThatWaitEnd) {
  const Program program{
      {{{Code::kAwait, 0, 1}, {Code::kLoad, 1}}, {{Code::kStore, 1, 7}, {Code::kStore, 0, 1}}}, {}};
  for (const SearchOrder order :
       {SearchOrder::kDfs, SearchOrder::kBfs, SearchOrder::kIcb, SearchOrder::kDpor}) {
    const Reached reached = explore(program, order);
    EXPECT_TRUE(reached.complete);
    EXPECT_TRUE(reached.failures.empty());
    EXPECT_EQ(reached.states.size(), 1U);
    EXPECT_LT(reached.counts.executions, 40U);
  }
}

TEST(Search, AWaitForNobodyIsALivelock) {
  const Program program{{{{Code::kAwait, 0, 1}}, {{Code::kStore, 1, 1}}}, {}};
  const Reached reached = explore(program, SearchOrder::kDfs);
  EXPECT_TRUE(reached.complete);
  EXPECT_EQ(reached.failures, std::set<std::string>{"livelock"});
}

TEST(Search, TheExploredPartGrowsToOne) {
  const Program program{{alone(0, 4), alone(0, 4)}, {}};
  for (const SearchOrder order : {SearchOrder::kDfs, SearchOrder::kBfs, SearchOrder::kDpor}) {
    PaperExecutor executor(program);
    Search search(SearchOptions{order});
    Work work;
    EXPECT_EQ(search.explored_part(), 0);
    double last = 0;
    while (search.next(work)) {
      search.done(work, *executor.execute(work.request()));
      EXPECT_GE(search.explored_part(), order == SearchOrder::kDpor ? 0 : last - 1e-9);
      EXPECT_LE(search.explored_part(), 1);
      last = search.explored_part();
    }
    EXPECT_EQ(last, 1);
  }
}

TEST(Search, WhatWasGivenBackComesAgain) {
  const Program program{{alone(0, 3), alone(0, 3)}, {}};
  PaperExecutor executor(program);
  Search search(SearchOptions{SearchOrder::kDpor});
  Generator generator(1);
  Work work;
  Work other;
  while (search.next(work)) {
    if (search.next(other)) search.give_back(other);
    if (generator.below(3) == 0) {
      search.give_back(work);
      continue;
    }
    search.done(work, *executor.execute(work.request()));
  }
  EXPECT_TRUE(search.complete());
  EXPECT_EQ(search.counts().executions - search.counts().redundant, 20U);
}

}  // namespace
}  // namespace raddle::paper
