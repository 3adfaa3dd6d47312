#include "host/campaign/hunt/few_preemptions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace raddle {
namespace {

constexpr ObjectId kX{1};

StepRecord step(unsigned thread, OpKind op, ObjectId object, std::uint64_t site) {
  return {ThreadId{static_cast<std::uint16_t>(thread)}, op, 0, object, site};
}

// The main thread creates `threads` others; each reads x and writes it.
std::vector<StepRecord> counting(unsigned threads) {
  std::vector<StepRecord> log;
  for (unsigned t = 0; t < threads; ++t)
    log.push_back(step(0, OpKind::thread_create, kNoObject, 10));
  for (unsigned t = 1; t <= threads; ++t) {
    log.push_back(step(t, OpKind::thread_begin, kNoObject, 20));
    log.push_back(step(t, OpKind::atomic_load, kX, 30));
    log.push_back(step(t, OpKind::atomic_store, kX, 40));
  }
  return log;
}

// Executes turns as the strategy `guided` does, for threads that never wait: who moved, in order.
std::string executed(const Schedule& schedule, const std::vector<StepRecord>& log) {
  std::map<ThreadId, std::uint64_t> has;
  std::map<ThreadId, std::uint64_t> made;
  for (const StepRecord& record : log) ++has[record.thread];
  std::string text;
  const auto run = [&](ThreadId thread, std::uint64_t until) {
    while (made[thread] < std::min(until, has[thread])) {
      ++made[thread];
      text += static_cast<char>('0' + raw(thread));
    }
  };
  for (const Turn& turn : schedule.turns) run(turn.thread, turn.until);
  for (const auto& [thread, steps] : has) run(thread, steps);
  return text;
}

std::vector<std::string> all_of(FewPreemptions& few, const std::vector<StepRecord>& log) {
  few.begin(log);
  std::vector<std::string> list;
  while (const std::optional<FewPreempted> one = few.next()) {
    if (one->preemptions <= 1) list.push_back(executed(one->schedule, log));
  }
  return list;
}

bool has(const std::vector<std::string>& list, const char* text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

TEST(FewPreemptions, OrdersFirstThenEveryPlaceOnce) {
  FewPreemptions few({});
  const std::vector<std::string> list = all_of(few, counting(2));
  ASSERT_GE(list.size(), 2U);
  EXPECT_EQ(list[0], "00222111");
  EXPECT_EQ(list[1], "01110222");
  EXPECT_TRUE(has(list, "00112221")) << "a lost update";
  EXPECT_TRUE(has(list, "00122211")) << "the other one goes before the read";
  EXPECT_TRUE(has(list, "00222111")) << "the first one starts last";
}

TEST(FewPreemptions, CandidatesComeFirst) {
  FewPreemptions few({40});
  const std::vector<std::string> list = all_of(few, counting(2));
  EXPECT_EQ(list[2], "00112221");
}

// Many threads at one place are a few schedules, of the first and the last of them first.
TEST(FewPreemptions, AHundredThreadsAreNotAHundredTimesAsMany) {
  FewPreemptions few({});
  const std::vector<StepRecord> log = counting(100);
  few.begin(log);
  std::vector<std::size_t> at;
  std::size_t all = 0;
  while (const std::optional<FewPreempted> one = few.next()) {
    ++all;
    if (one->preemptions == 1 && log[one->kept].site == 40) at.push_back(one->kept);
  }
  EXPECT_LT(all, 100U);
  const auto thread_of = [&](std::size_t n) { return raw(log[at.at(n)].thread); };
  EXPECT_EQ(thread_of(0), 1U);
  EXPECT_NE(
      std::find_if(at.begin(), at.end(), [&](std::size_t i) { return raw(log[i].thread) == 100; }),
      at.end());
}

// Where nobody else could see the difference there is nothing to try.
TEST(FewPreemptions, WhatOneThreadUsesAloneDoesNotMatter) {
  std::vector<StepRecord> log = {
      step(0, OpKind::thread_create, kNoObject, 10), step(0, OpKind::atomic_store, kX, 30),
      step(0, OpKind::atomic_load, kX, 40), step(1, OpKind::atomic_load, ObjectId{2}, 50)};
  FewPreemptions few({});
  few.begin(log);
  while (const std::optional<FewPreempted> one = few.next()) EXPECT_EQ(one->preemptions, 0U);
}

// From what one preemption led to, another one after it.
TEST(FewPreemptions, TwoWhereThereAreFew) {
  FewPreemptions few({});
  const std::vector<StepRecord> log = counting(2);
  few.begin(log);
  std::size_t two = 0;
  while (const std::optional<FewPreempted> one = few.next()) {
    if (one->preemptions == 2) {
      ++two;
    } else {
      few.done(*one, log);
    }
  }
  EXPECT_GT(two, 0U);
}

}  // namespace
}  // namespace raddle
