// Timelines of traces written by hand: what is chosen, who holds and waits for what, what orders
// what.
#include "host/describe/timeline/timeline.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/trace/testing/event_samples.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kLock = 0x5000;
constexpr std::uint64_t kBalance = 0x5040;
constexpr std::uint64_t kOwn = 0x5080;

class TimelineTest : public ::testing::Test {
 protected:
  TimelineTest() {
    trace_.define_object(kLock, 8, "mutex");
    trace_.define_object(kBalance, 8, "balance");
    trace_.define_object(kOwn, 8, "own");
  }

  void tell(std::uint16_t thread, EventKind kind, std::uint64_t object, std::uint64_t value,
            std::uint32_t line) {
    story_.thread = ThreadId{thread};
    ++story_.step;
    story_.event(kind, object, story_.at("work", "/src/bank.cpp", line, kind), value);
  }
  Timeline made(const Failure& failure = {}) { return timeline_of(trace_, failure, symbols_); }

  // "1>4 lock".
  static std::string orders(const Timeline& timeline) {
    std::string text;
    for (const TimelineOrder& order : timeline.orders) {
      text += std::to_string(order.from) + ">" + std::to_string(order.to) + " " +
              timeline_order_text(order.kind) + "\n";
    }
    return text;
  }
  // "T1 mutex 0-2", "T2 waits mutex 1-3", "T1 mutex 3- ".
  static std::string spans(const Timeline& timeline) {
    std::string text;
    for (const TimelineSpan& span : timeline.spans) {
      text += "T" + std::to_string(raw(span.thread)) + (span.waits ? " waits " : " ") +
              span.object + " " + std::to_string(span.from) + "-" +
              (span.open ? "" : std::to_string(span.to)) + "\n";
    }
    return text;
  }

  KeptTrace trace_;
  samples::Story story_{trace_};
  Symbolizer symbols_;
};

TEST_F(TimelineTest, ThreadsMeetAtLocksAndValues) {
  tell(1, EventKind::acquire, kLock, 1, 10);
  tell(1, EventKind::write, kBalance, 100, 11);
  tell(1, EventKind::write, kOwn, 1, 12);  // nobody else uses it
  tell(1, EventKind::release, kLock, 0, 13);
  tell(2, EventKind::acquire, kLock, 1, 20);
  tell(2, EventKind::read, kBalance, 100, 21);
  const Timeline timeline = made();
  ASSERT_EQ(timeline.events.size(), 5U);
  EXPECT_EQ(timeline.events[1].object, "balance");
  EXPECT_EQ(timeline.events[1].written, "100");
  EXPECT_EQ(timeline.events[4].read, "100");
  EXPECT_EQ(timeline.events[4].where.line, 21U);
  EXPECT_EQ(orders(timeline), "2>3 lock\n1>4 value\n");
  EXPECT_EQ(spans(timeline), "T1 mutex 0-2\nT2 mutex 3-\n");
}

TEST_F(TimelineTest, WhatOneThreadAloneUsesOrNobodyWritesIsLeftOut) {
  tell(1, EventKind::read, kBalance, 100, 10);
  tell(2, EventKind::read, kBalance, 100, 20);
  tell(2, EventKind::write, kOwn, 1, 21);
  EXPECT_TRUE(made().empty());
}

TEST_F(TimelineTest, AThreadThatCameWhileTheLockWasHeldWaited) {
  tell(1, EventKind::acquire, kLock, 1, 10);
  tell(2, EventKind::thread_begin, 0, 0, 20);
  tell(1, EventKind::release, kLock, 0, 11);
  tell(2, EventKind::acquire, kLock, 1, 21);
  EXPECT_EQ(spans(made()), "T1 mutex 0-2\nT2 waits mutex 1-2\nT2 mutex 3-\n");
}

TEST_F(TimelineTest, AThreadThatIsHeldBackDoesNotWait) {
  tell(1, EventKind::acquire, kLock, 1, 10);
  tell(1, EventKind::release, kLock, 0, 11);
  tell(2, EventKind::thread_begin, 0, 0, 20);  // 1 could take the lock again
  tell(2, EventKind::acquire, kLock, 1, 21);   // now it could not
  tell(2, EventKind::release, kLock, 0, 22);
  tell(2, EventKind::thread_end, 0, 0, 23);
  tell(1, EventKind::acquire, kLock, 1, 12);
  EXPECT_EQ(spans(made()), "T1 mutex 0-1\nT2 mutex 3-4\nT1 waits mutex 3-4\nT1 mutex 6-\n");
}

TEST_F(TimelineTest, APreemptionIsASwitchAwayFromWhoCouldGoOn) {
  tell(1, EventKind::write, kBalance, 1, 10);
  tell(2, EventKind::write, kBalance, 2, 20);  // 1 could go on to its next write
  tell(1, EventKind::write, kBalance, 3, 11);  // 2 has nothing left to do
  tell(1, EventKind::acquire, kLock, 1, 12);
  tell(3, EventKind::thread_begin, 0, 0, 30);  // 1 could release
  tell(1, EventKind::release, kLock, 0, 13);   // 3 waited for the lock
  tell(3, EventKind::acquire, kLock, 1, 31);   // 1 is done
  const Timeline timeline = made();
  std::string preempting;
  for (const TimelineEvent& event : timeline.events) preempting += event.preempts ? '1' : '0';
  EXPECT_EQ(preempting, "0100100");
}

TEST_F(TimelineTest, AThreadThatIsBlockedAtTheEndWaitsToTheEnd) {
  tell(1, EventKind::acquire, kLock, 1, 10);
  tell(2, EventKind::thread_begin, 0, 0, 20);
  tell(1, EventKind::write, kBalance, 1, 11);
  tell(2, EventKind::write, kBalance, 1, 21);
  Failure failure;
  failure.kind = OutcomeKind::kDeadlock;
  ThreadLine waiting;
  waiting.id = ThreadId{2};
  waiting.name = "second";
  waiting.blocked = true;
  waiting.address = kLock;
  failure.threads = {waiting};
  const Timeline timeline = made(failure);
  EXPECT_EQ(spans(timeline), "T1 mutex 0-\nT2 waits mutex 3-\n");
  ASSERT_EQ(timeline.threads.size(), 2U);
  EXPECT_EQ(timeline.threads[1].name, "second");
}

TEST_F(TimelineTest, ThreadsAreCreatedJoinedNotifiedAndSignalled) {
  tell(0, EventKind::fork, 0, 1, 10);
  tell(1, EventKind::thread_begin, 0, 0, 20);
  tell(1, EventKind::signal, kOwn, 0, 21);
  tell(0, EventKind::await, kOwn, 0, 11);
  tell(0, EventKind::wake, kBalance, 0, 12);  // nobody notified it
  tell(1, EventKind::notify, kBalance, 1, 22);
  tell(0, EventKind::wake, kBalance, 0, 13);
  tell(1, EventKind::thread_end, 0, 0, 23);
  tell(0, EventKind::join, 0, 1, 14);
  EXPECT_EQ(orders(made()), "0>1 create\n2>3 signal\n5>6 notify\n7>8 join\n");
}

TEST_F(TimelineTest, TheStepsOfAnExplanationAreMarked) {
  tell(1, EventKind::write, kBalance, 1, 10);
  tell(2, EventKind::write, kBalance, 2, 20);
  Timeline timeline = made();
  Explanation explanation;
  explanation.cause = Cause::kUnordered;
  ExplainedStep step;
  step.thread = ThreadId{2};
  step.step = timeline.events[1].step;
  step.violates = true;
  explanation.steps = {step};
  mark(timeline, explanation);
  EXPECT_FALSE(timeline.events[0].explains);
  EXPECT_TRUE(timeline.events[1].explains);
  EXPECT_TRUE(timeline.events[1].violates);
}

}  // namespace
}  // namespace raddle
