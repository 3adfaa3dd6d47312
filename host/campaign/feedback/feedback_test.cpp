#include "host/campaign/feedback/feedback.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "host/campaign/feedback/feedback_rounds.hpp"
#include "protocol/uses.hpp"

namespace raddle {
namespace {

StepRecord step(int thread, OpKind op, std::uint32_t object, std::uint64_t site) {
  return {static_cast<ThreadId>(thread), op, 0, ObjectId{object}, site};
}

using Log = std::vector<StepRecord>;

Log random_log(Generator& generator) {
  constexpr OpKind kOps[] = {OpKind::memory_read, OpKind::memory_write, OpKind::atomic_update,
                             OpKind::mutex_lock,  OpKind::mutex_unlock, OpKind::cond_wait,
                             OpKind::cond_signal, OpKind::cond_wake,    OpKind::yield,
                             OpKind::value_choice};
  Log log;
  const std::uint64_t length = generator.below(60);
  for (std::uint64_t i = 0; i < length; ++i) {
    const OpKind op = kOps[generator.below(std::size(kOps))];
    log.push_back(step(static_cast<int>(generator.below(4)), op,
                       static_cast<std::uint32_t>(generator.below(5)), 1 + generator.below(8)));
  }
  return log;
}

// The definition: for every read, look back for the last write of its object.
std::set<ReadsFrom> reads_from_by_definition(const Log& log) {
  std::set<ReadsFrom> pairs;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if ((uses_of(log[i].op) & kReadsObject) == 0 || log[i].object == kNoObject) continue;
    ReadsFrom pair{log[i].site, 0};
    for (std::size_t j = 0; j < i; ++j) {
      if ((uses_of(log[j].op) & kWritesObject) != 0 && log[j].object == log[i].object)
        pair.write = log[j].site;
    }
    pairs.insert(pair);
  }
  return pairs;
}

// Every place that used an object that two threads used, by object.
std::set<std::vector<std::uint64_t>> places_by_definition(const Log& log, std::uint8_t use) {
  std::map<ObjectId, std::set<std::uint64_t>> places;
  std::map<ObjectId, std::set<ThreadId>> threads;
  for (const StepRecord& one : log) {
    if (one.object == kNoObject || uses_of(one.op) == 0) continue;
    threads[one.object].insert(one.thread);
    places[one.object];
    if ((uses_of(one.op) & use) != 0) places[one.object].insert(one.site);
  }
  std::set<std::vector<std::uint64_t>> lists;
  for (const auto& [object, sites] : places) {
    if (threads[object].size() > 1) lists.insert({sites.begin(), sites.end()});
  }
  return lists;
}

TEST(Observation, IsWhatTheDefinitionSays) {
  Generator generator(1);
  for (int i = 0; i < 5'000; ++i) {
    const Log log = random_log(generator);
    const Observation shown = observe(log);
    const std::set<ReadsFrom> pairs = reads_from_by_definition(log);
    EXPECT_EQ(shown.reads_from, std::vector<ReadsFrom>(pairs.begin(), pairs.end()));
    std::set<std::vector<std::uint64_t>> reads;
    std::set<std::vector<std::uint64_t>> writes;
    std::set<std::vector<std::uint64_t>> claims;
    for (const UsedBy& used : shown.objects) {
      reads.insert(used.reads);
      writes.insert(used.writes);
      claims.insert(used.claims);
    }
    EXPECT_EQ(reads, places_by_definition(log, kReadsObject));
    EXPECT_EQ(writes, places_by_definition(log, kWritesObject));
    EXPECT_EQ(claims, places_by_definition(log, kClaimsObject));
    EXPECT_TRUE(std::is_sorted(shown.seen.begin(), shown.seen.end()));
    if (HasFailure()) return;
  }
}

TEST(Observation, TheOtherOrderOfAPairIsSomethingNew) {
  const Log one = {step(1, OpKind::memory_write, 1, 11), step(2, OpKind::memory_write, 1, 12)};
  const Log other = {one[1], one[0]};
  Feedback feedback(1);
  EXPECT_GT(feedback.learn(one), 0U);
  EXPECT_EQ(feedback.learn(one), 0U);
  EXPECT_GT(feedback.learn(other), 0U);
  EXPECT_EQ(feedback.learn(other), 0U);
}

TEST(Observation, WhichWaitASignalEndedIsSeen) {
  const Log begin = {step(1, OpKind::cond_wait, 1, 11), step(2, OpKind::cond_wait, 1, 12),
                     step(3, OpKind::cond_signal, 1, 13)};
  Log first = begin;
  first.push_back(step(1, OpKind::cond_wake, 1, 11));
  Log second = begin;
  second.push_back(step(2, OpKind::cond_wake, 1, 12));
  Feedback feedback(1);
  EXPECT_GT(feedback.learn(first), 0U);
  EXPECT_EQ(feedback.learn(first), 0U);
  EXPECT_EQ(feedback.learn(second), 1U);
}

const StrategyEntry& rff() { return *find_strategy("rff"); }

// A program on paper: a reader of one variable at 20, writers of it at 11, 12, 13. Whatever is
// asked for of what `possible` says comes about; without a wish the reader sees 11.
Log follow(const AbstractSchedule& schedule, const std::set<std::uint64_t>& possible) {
  std::uint64_t wanted = 11;
  for (const Constraint& one : schedule) {
    if (one.positive && possible.contains(one.pair.write)) wanted = one.pair.write;
  }
  Log log;
  if (wanted == 0) log.push_back(step(9, OpKind::memory_read, 1, 20));
  for (const std::uint64_t write : {11, 12, 13}) {
    if (write != wanted) log.push_back(step(1, OpKind::memory_write, 1, write));
  }
  if (wanted == 0) return log;
  log.push_back(step(1, OpKind::memory_write, 1, wanted));
  log.push_back(step(9, OpKind::memory_read, 1, 20));
  return log;
}

TEST(Feedback, EveryPairThatCanComeAboutIsSeenSoon) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Feedback feedback(seed);
    feedback.learn(follow({}, {}));
    EXPECT_EQ(feedback.known_pairs(), 4U);
    EXPECT_EQ(feedback.seen_pairs(), 1U);
    // Three pairs were never seen: three turns, and one that goes to something else.
    for (int i = 0; i < 4; ++i) {
      const Guide guide = feedback.next(rff(), seed);
      const Log log = follow(guide.schedule, {0, 11, 12, 13});
      feedback.ended(guide, log, observe(log));
    }
    EXPECT_EQ(feedback.seen_pairs(), 4U) << "seed " << seed;
  }
}

TEST(Feedback, WhatNeverComesAboutIsForgotten) {
  Feedback feedback(1);
  feedback.learn(follow({}, {}));
  std::uint64_t late = 0;
  for (int i = 0; i < 400; ++i) {
    const Guide guide = feedback.next(rff(), 1);
    for (const Constraint& one : guide.schedule) {
      if (i >= 200 && one.positive && one.pair.write == 12) ++late;
    }
    const Log log = follow(guide.schedule, {0, 11, 13});
    feedback.ended(guide, log, observe(log));
  }
  EXPECT_EQ(feedback.seen_pairs(), 3U);
  // Only schedules that were kept from before may still name it.
  EXPECT_LT(late, 20U);
}

TEST(Feedback, SchedulesAreShortAndAskOneThingOfARead) {
  Generator generator(3);
  Feedback feedback(2);
  for (int i = 0; i < 2'000; ++i) {
    const Guide guide = feedback.next(rff(), 1);
    EXPECT_LE(guide.schedule.size(), kMostConstraints);
    std::set<std::uint64_t> reads;
    for (const Constraint& one : guide.schedule) EXPECT_TRUE(reads.insert(one.pair.read).second);
    const Log log = random_log(generator);
    feedback.ended(guide, log, observe(log));
  }
}

TEST(Feedback, WorkIsCountedByThreadAndPlace) {
  Feedback feedback(1);
  feedback.learn(Log{step(0, OpKind::thread_create, 1, 5), step(1, OpKind::thread_create, 2, 6),
                     step(1, OpKind::memory_write, 3, 7), step(2, OpKind::memory_read, 3, 8),
                     step(2, OpKind::memory_read, 3, 8)});
  bool all = false;
  bool some = false;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    std::set<std::uint64_t> selected;
    std::map<int, ThreadWork> work;
    for (const AimSite& aim : feedback.next(*find_strategy("surw"), seed).aims) {
      if (aim.role == AimRole::kSelected) selected.insert(aim.site);
      if (aim.role == AimRole::kWork)
        work[unpacked_work(aim.site).thread] = unpacked_work(aim.site);
    }
    ASSERT_EQ(work.size(), 3U);
    EXPECT_EQ(work[1].parent, 0);
    EXPECT_EQ(work[2].parent, 1);
    EXPECT_EQ(work[2].events, 2U);
    if (selected.empty()) {
      all = true;
      EXPECT_EQ(work[0].events, 1U);
      EXPECT_EQ(work[1].events, 2U);
    } else {
      some = true;
      EXPECT_EQ(selected, (std::set<std::uint64_t>{7, 8}));
      EXPECT_EQ(work[0].events, 0U);
      EXPECT_EQ(work[1].events, 1U);
    }
  }
  // Each is drawn with probability 1/2: one is missing among 64 with probability 2^-63.
  EXPECT_TRUE(all && some);
}

// The plans of a campaign in which up to `jobs` executions run at the same time and end in an order
// of their own.
std::vector<AbstractSchedule> plans(std::uint64_t jobs, std::uint64_t shape) {
  FeedbackRounds rounds(rff(), 1);
  rounds.learn(follow({}, {}));
  Generator generator(shape);
  std::vector<AbstractSchedule> all;
  std::map<std::uint64_t, Log> ended;
  std::vector<std::uint64_t> running;
  std::uint64_t next = 0;
  std::uint64_t committed = 0;
  while (committed < 300) {
    while (running.size() < jobs && rounds.may_start(next)) {
      all.push_back(rounds.guide_of(next).schedule);
      running.push_back(next++);
    }
    const std::size_t which = generator.below(running.size());
    ended[running[which]] = follow(all[running[which]], {0, 11, 13});
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    for (; ended.contains(committed); ++committed)
      rounds.ended(ended[committed], observe(ended[committed]));
  }
  all.resize(300);
  return all;
}

TEST(FeedbackRounds, PlansDoNotDependOnWhoIsFaster) {
  const std::vector<AbstractSchedule> alone = plans(1, 1);
  for (std::uint64_t shape = 1; shape < 20; ++shape) EXPECT_EQ(plans(1 + shape % 7, shape), alone);
}

}  // namespace
}  // namespace raddle
