#include "host/explore/causality.hpp"

#include "host/explore/testing/paper_search.hpp"
#include "host/explore/testing/random_program.hpp"

namespace raddle::paper {
namespace {

// From the definition, pair by pair: which steps come before each.
std::vector<std::set<std::size_t>> slow_order(const Explored& e) {
  std::vector<std::set<std::size_t>> before(e.log.size());
  std::vector<const Pending*> executed(e.log.size(), nullptr);
  const auto able = [&](std::size_t step, ThreadId thread) {
    for (const Pending& p : e.enabled(step)) {
      if (p.thread == thread) return &p;
    }
    return static_cast<const Pending*>(nullptr);
  };
  std::vector<std::size_t> steps;  // without value choices
  for (std::size_t step = 0; step < e.log.size(); ++step) {
    if (e.log[step].op == OpKind::value_choice) continue;
    const Pending* p = executed[step] = able(step, e.log[step].thread);
    // The last step at which its thread could not move made it able to.
    std::size_t enabler = e.log.size();
    for (std::size_t i = steps.size(); i-- > 0 && executed[steps[i]]->thread != p->thread;) {
      if (able(steps[i], p->thread) != nullptr) continue;
      enabler = steps[i];
      break;
    }
    for (const std::size_t earlier : steps) {
      if (!dependent(*executed[earlier], *p) && earlier != enabler) continue;
      before[step].insert(earlier);
      before[step].insert(before[earlier].begin(), before[earlier].end());
    }
    steps.push_back(step);
  }
  return before;
}

// Steps of different threads that depend on each other with nothing between them, and that could
// both move before the first: the races that nobody would dispute.
std::set<std::pair<std::size_t, std::uint16_t>> plain_races(
    const Explored& e, const std::vector<std::set<std::size_t>>& before) {
  std::set<std::pair<std::size_t, std::uint16_t>> races;
  for (std::size_t later = 0; later < e.log.size(); ++later) {
    for (const std::size_t earlier : before[later]) {
      if (e.log[earlier].thread == e.log[later].thread) continue;
      bool between = false;
      for (const std::size_t other : before[later]) between |= before[other].contains(earlier);
      const Pending* there = nullptr;
      for (const Pending& p : e.enabled(earlier)) {
        if (p.thread == e.log[later].thread) there = &p;
      }
      const bool waiting = there != nullptr && same_step(record_of(*there), e.log[later]);
      if (!between && waiting) races.insert({earlier, raw(e.log[later].thread)});
    }
  }
  return races;
}

TEST(Causality, AgreesWithTheDefinitionOnRandomExecutions) {
  Causality causality;
  std::size_t compared = 0;
  std::size_t races = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    PaperExecutor executor(seed % 2 == 0 ? random_program(seed) : random_program_that_frees(seed));
    Search search(SearchOptions{SearchOrder::kBfs});
    Work work;
    for (int n = 0; n < 12 && search.next(work); ++n) {
      const Explored& e = *executor.execute(work.request());
      causality.analyse(e, 0, true);
      const std::vector<std::set<std::size_t>> before = slow_order(e);
      for (std::uint32_t later = 0; later < e.log.size(); ++later) {
        if (e.log[later].op == OpKind::value_choice) continue;
        for (std::uint32_t earlier = 0; earlier < later; ++earlier) {
          if (e.log[earlier].op == OpKind::value_choice) continue;
          ASSERT_EQ(causality.before(earlier, later), before[later].contains(earlier))
              << "seed " << seed << ", execution " << n << ", " << earlier << " and " << later;
          ++compared;
        }
      }
      std::set<std::pair<std::size_t, std::uint16_t>> found;
      for (const Race& race : causality.races()) {
        found.insert({race.step, raw(race.thread)});
        EXPECT_GT(race.count, 0U);
      }
      for (const auto& race : plain_races(e, before)) {
        ASSERT_TRUE(found.contains(race)) << "seed " << seed << ", execution " << n << ", step "
                                          << race.first << " and thread " << race.second;
        ++races;
      }
      search.done(work, e);
    }
  }
  EXPECT_GT(compared, 100'000U);
  EXPECT_GT(races, 1'000U);
}

TEST(Causality, ABlockIsFreedWithAllThatLiesInIt) {
  const auto pending = [](std::uint16_t thread, OpKind op, std::uint64_t extra,
                          std::uint64_t memory) {
    return Pending{
        ThreadId{thread}, op, StepOutcome::kReady, ObjectId{thread + 1U}, 0, extra, memory};
  };
  // A block of 1 GiB: an access and a mutex in it, an access behind it, and to free it twice.
  constexpr std::uint64_t kBlock = 0x1000'0010;
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  const std::vector<Pending> all = {
      pending(0, OpKind::memory_read, touched_bytes(kBlock + 0x7654321, 4), 0),
      pending(1, OpKind::mutex_lock, 0, touched_bytes(kBlock + kBytes - 1, 1)),
      pending(2, OpKind::memory_write, touched_bytes(kBlock + kBytes, 8), 0),
      pending(3, OpKind::memory_free, touched_bytes(kBlock, kBytes, true), kBytes),
      pending(4, OpKind::memory_free, touched_bytes(kBlock, kBytes, true), kBytes)};
  std::vector<Pending> groups;
  std::vector<std::uint32_t> first;
  std::vector<StepRecord> log;
  for (std::size_t i = 0; i < all.size(); ++i) {
    first.push_back(static_cast<std::uint32_t>(groups.size()));
    groups.insert(groups.end(), all.begin() + static_cast<std::ptrdiff_t>(i), all.end());
    log.push_back(record_of(all[i]));
  }
  first.insert(first.end(), 2, static_cast<std::uint32_t>(groups.size()));
  Explored e;
  e.log = log;
  e.pending = groups;
  e.first = first;
  Causality causality;
  causality.analyse(e, 0, false);
  for (std::uint32_t later = 1; later < all.size(); ++later) {
    for (std::uint32_t earlier = 0; earlier < later; ++earlier)
      EXPECT_EQ(causality.before(earlier, later), dependent(all[earlier], all[later]))
          << earlier << " " << later;
  }
  EXPECT_TRUE(causality.before(0, 3));
  EXPECT_TRUE(causality.before(1, 3));
  EXPECT_FALSE(causality.before(2, 3));
  EXPECT_TRUE(causality.before(3, 4));
}

// Of an analysis: who comes before whom, and all races with their initials.
std::vector<std::uint64_t> told_by(const Causality& causality, const Explored& e) {
  std::vector<std::uint64_t> told;
  for (std::uint32_t step = 0; step < e.log.size(); ++step) {
    if (!causality.is_step(step)) continue;
    for (std::uint16_t t = 0; t < causality.threads(); ++t) {
      if (const std::uint32_t before = causality.steps_before(step, t))
        told.insert(told.end(), {step, t, before});
    }
  }
  for (const Race& race : causality.races()) {
    told.insert(told.end(), {race.step, raw(race.thread), race.count});
    for (const ThreadId thread : causality.initials(race)) told.push_back(raw(thread));
  }
  return told;
}

// One analysis after another, each of which goes on where the execution differs from the last,
// against one that begins anew.
TEST(Causality, WhatIsCommonIsNotLostAndNotKeptTooLong) {
  std::size_t races = 0;
  std::size_t common = 0;
  for (const SearchOrder order : {SearchOrder::kDfs, SearchOrder::kDpor, SearchOrder::kIcb}) {
    Causality goes_on;  // from program to program, too
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      PaperExecutor executor(random_program(seed));
      Search search(SearchOptions{order});
      Work work;
      for (int n = 0; n < 40 && search.next(work); ++n) {
        const Explored& e = *executor.execute(work.request());
        const auto from = static_cast<std::uint32_t>(n % 3 == 0 ? 0 : work.prefix.size());
        goes_on.analyse(e, from, n % 2 == 0);
        Causality anew;
        anew.analyse(e, from, n % 2 == 0);
        ASSERT_EQ(told_by(goes_on, e), told_by(anew, e)) << "seed " << seed << ", execution " << n;
        races += anew.races().size();
        common += work.prefix.size();
        search.done(work, e);
      }
    }
  }
  EXPECT_GT(races, 10'000U);
  EXPECT_GT(common, 100'000U);
}

TEST(Causality, BytesThatOverlapInDifferentWays) {
  // 8 bytes, their upper half, one byte of the lower half, and the byte after them.
  const auto access = [](std::uint16_t thread, OpKind op, std::uint64_t address,
                         std::uint64_t size) {
    return Pending{ThreadId{thread},      op, StepOutcome::kReady,
                   ObjectId{thread + 1U}, 0,  touched_bytes(address, size)};
  };
  const std::vector<Pending> pending = {
      access(0, OpKind::memory_write, 0x1000, 8), access(1, OpKind::memory_write, 0x1004, 4),
      access(2, OpKind::memory_read, 0x1001, 1), access(3, OpKind::memory_write, 0x1008, 1)};
  std::vector<Pending> groups;
  std::vector<std::uint32_t> first;
  std::vector<StepRecord> log;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    first.push_back(static_cast<std::uint32_t>(groups.size()));
    groups.insert(groups.end(), pending.begin() + static_cast<std::ptrdiff_t>(i), pending.end());
    log.push_back(record_of(pending[i]));
  }
  first.insert(first.end(), 2, static_cast<std::uint32_t>(groups.size()));
  Explored e;
  e.log = log;
  e.pending = groups;
  e.first = first;
  Causality causality;
  causality.analyse(e, 0, false);
  EXPECT_TRUE(causality.before(0, 1));
  EXPECT_TRUE(causality.before(0, 2));
  EXPECT_FALSE(causality.before(1, 2));
  EXPECT_FALSE(causality.before(0, 3));
  EXPECT_EQ(causality.races().size(), 2U);
}

}  // namespace
}  // namespace raddle::paper
