// Hand-made histories, and the answers that follow from them.
#include "host/causal/question.hpp"

#include <gtest/gtest.h>

namespace raddle::causal {
namespace {

constexpr std::uint64_t kX = 0x1000;
constexpr std::uint64_t kY = 0x1008;

std::string bytes(int value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint64_t site(ThreadIndex thread, std::uint32_t depth) { return 100 * thread + depth; }

// An execution as somebody would write it down: thread after thread, in any order.
class Trace {
 public:
  Trace() {
    for (std::uint64_t i = 0; i < 16; ++i) h.begins_with(kX + i, 0);
  }

  Trace& on(ThreadIndex thread) {
    at_ = h.root(thread);
    return *this;
  }
  Trace& read(std::uint64_t address, int value) {
    return add({{ActionKind::kRead, 0, 0, address, 4}, true, bytes(value), ""});
  }
  Trace& write(std::uint64_t address, int value) {
    return add({{ActionKind::kWrite, 0, 0, address, 4}, true, "", bytes(value)});
  }
  Trace& update(std::uint64_t address, int from, int to) {
    return add({{ActionKind::kUpdate, 0, 0, address, 4}, true, bytes(from), bytes(to)});
  }
  Trace& act(ActionKind kind, std::uint64_t object, std::uint64_t other = 0) {
    return add({{kind, object, other}});
  }
  Trace& end() {
    h.ended(at_);
    return *this;
  }
  NodeId node() const { return at_; }

  Histories h;

 private:
  Trace& add(Event event) {
    const Node& n = h.node(at_);
    event.action.site = site(n.thread, n.depth);
    EXPECT_FALSE(h.advance(at_, event, &at_));
    return *this;
  }

  NodeId at_ = kNoNode;
};

Answer news(const Trace& t, NodeId at) { return ask_for_news(t.h, at, {}); }

std::vector<ThreadIndex> threads(const Answer& answer) {
  std::vector<ThreadIndex> found;
  for (const Move& move : answer.schedule) found.push_back(move.thread);
  return found;
}

TEST(Question, AReadThatCameFirstCanComeLater) {
  Trace t;
  const NodeId reader = t.on(0).node();
  t.read(kX, 0);
  t.on(1).write(kX, 1);
  const Answer answer = news(t, reader);
  EXPECT_EQ(answer.verdict, Verdict::kYes);
  EXPECT_EQ(threads(answer), (std::vector<ThreadIndex>{1, 0}));
}

TEST(Question, TooMuchWorkIsUnknown) {
  Trace t;
  const NodeId reader = t.on(0).node();
  t.read(kX, 0);
  t.on(1).write(kX, 1);
  Rules rules;
  rules.effort = 1;
  EXPECT_EQ(ask_for_news(t.h, reader, rules).verdict, Verdict::kUnknown);
}

TEST(Question, EqualValuesAreNoNews) {
  Trace t;
  const NodeId reader = t.on(0).node();
  t.read(kX, 0);
  t.on(1).write(kX, 0);
  const Answer answer = news(t, reader);
  EXPECT_EQ(answer.verdict, Verdict::kNo);
  EXPECT_FALSE(answer.solved);
}

// What comes before the read in the thread that writes keeps its values.
TEST(Question, AWriteNeedsTheValuesThatLedToIt) {
  Trace t;
  const NodeId reader = t.on(0).node();
  t.read(kX, 0).write(kY, 1);
  t.on(1).read(kY, 1).write(kX, 1);
  EXPECT_EQ(news(t, reader).verdict, Verdict::kNo);
}

TEST(Question, ALockKeepsASectionTogether) {
  Trace t;
  t.on(0).act(ActionKind::kLock, 7);
  const NodeId reader = t.node();
  t.read(kX, 0);
  const NodeId second = t.node();
  t.read(kX, 0).act(ActionKind::kUnlock, 7);
  t.on(1).act(ActionKind::kLock, 7).write(kX, 1).act(ActionKind::kUnlock, 7);
  EXPECT_EQ(news(t, reader).verdict, Verdict::kYes);
  EXPECT_EQ(news(t, second).verdict, Verdict::kNo) << "0 and then 1, in one section";
}

TEST(Question, AValueBetweenTwoWritesOfOneSectionStaysHidden) {
  Trace t;
  t.on(0).act(ActionKind::kLock, 7);
  const NodeId reader = t.node();
  t.read(kX, 0).act(ActionKind::kUnlock, 7);
  t.on(1).act(ActionKind::kLock, 7).write(kX, 1).write(kX, 0).act(ActionKind::kUnlock, 7);
  EXPECT_EQ(news(t, reader).verdict, Verdict::kNo);
}

TEST(Question, AnUpdateIsOneEvent) {
  Trace t;
  t.on(0).update(kX, 0, 1);
  t.on(1).update(kX, 1, 2);
  // Each may come first; no value but 0 and 1 can be seen.
  EXPECT_EQ(news(t, t.h.root(1)).verdict, Verdict::kYes);
  Trace both;
  both.on(0).update(kX, 0, 1);
  both.on(0).update(kX, 1, 2);
  both.on(1).update(kX, 1, 2);
  both.on(1).update(kX, 0, 1);
  EXPECT_EQ(news(both, both.h.root(0)).verdict, Verdict::kNo);
  EXPECT_EQ(news(both, both.h.root(1)).verdict, Verdict::kNo);
}

TEST(Question, HalfOfAWordCanBeNew) {
  Trace t;
  const NodeId reader = t.on(0).node();
  NodeId at = reader;
  EXPECT_FALSE(
      t.h.advance(at, {{ActionKind::kRead, 0, 0, kX, 8}, true, std::string(8, '\0'), ""}, &at));
  t.on(1).write(kX + 4, 1).write(kX, 1);
  const Answer answer = news(t, reader);
  EXPECT_EQ(answer.verdict, Verdict::kYes);
}

TEST(Question, AThreadBeginsAfterItsCreationAndEndsBeforeItsJoin) {
  Trace t;
  t.on(0).act(ActionKind::kCreate, 1);
  const NodeId early = t.node();
  t.read(kX, 0).act(ActionKind::kJoin, 1);
  const NodeId late = t.node();
  t.read(kX, 1);
  const NodeId child = t.on(1).node();
  t.read(kY, 0).write(kX, 1).act(ActionKind::kEnd, 0);
  EXPECT_EQ(news(t, early).verdict, Verdict::kYes);
  EXPECT_EQ(news(t, late).verdict, Verdict::kNo) << "0 cannot be seen after the join";
  EXPECT_EQ(news(t, child).verdict, Verdict::kNo) << "nobody writes y";
}

TEST(Question, ATrialFailsWhileAnotherHoldsTheLock) {
  Trace t;
  const NodeId trial = t.on(0).node();
  t.act(ActionKind::kTryLock, 7).act(ActionKind::kUnlock, 7);
  t.on(1).act(ActionKind::kLock, 7).act(ActionKind::kUnlock, 7);
  const Answer answer = news(t, trial);
  EXPECT_EQ(answer.verdict, Verdict::kYes);
  EXPECT_EQ(threads(answer), (std::vector<ThreadIndex>{1, 0}));
}

TEST(Question, ASignalWakesOneThread) {
  Trace t;
  // Both wait, one is woken and reads. It can only see 0: who writes waits as well.
  t.on(0).act(ActionKind::kWait, 9, 7).act(ActionKind::kWake, 9);
  const NodeId reader = t.node();
  t.read(kX, 0);
  t.on(1).act(ActionKind::kWait, 9, 7).act(ActionKind::kWake, 9).write(kX, 1);
  t.on(2).act(ActionKind::kSignal, 9);
  EXPECT_EQ(news(t, reader).verdict, Verdict::kNo);
  t.on(3).act(ActionKind::kSignal, 9);
  EXPECT_EQ(news(t, reader).verdict, Verdict::kYes);
}

TEST(Question, NestedLocksTheOtherWayRoundDeadlock) {
  Trace t;
  t.on(0).act(ActionKind::kLock, 7).act(ActionKind::kLock, 8);
  t.act(ActionKind::kUnlock, 8).act(ActionKind::kUnlock, 7).end();
  t.on(1).act(ActionKind::kLock, 8).act(ActionKind::kLock, 7);
  t.act(ActionKind::kUnlock, 7).act(ActionKind::kUnlock, 8).end();
  const Answer answer = ask_for_deadlock(t.h, {}, {}, {});
  ASSERT_EQ(answer.verdict, Verdict::kYes);
  EXPECT_EQ(answer.schedule.size(), 2U);
  EXPECT_EQ(ask_for_deadlock(t.h, {{{0, site(0, 1)}, {1, site(1, 1)}}}, {}, {}).verdict,
            Verdict::kNo);
}

TEST(Question, NestedLocksInOneOrderDoNot) {
  Trace t;
  for (const ThreadIndex thread : {0U, 1U}) {
    t.on(thread).act(ActionKind::kLock, 7).act(ActionKind::kLock, 8);
    t.act(ActionKind::kUnlock, 8).act(ActionKind::kUnlock, 7).end();
  }
  EXPECT_EQ(ask_for_deadlock(t.h, {}, {}, {}).verdict, Verdict::kNo);
}

TEST(Question, ASignalThatComesTooEarlyIsLost) {
  Trace t;
  t.on(0).act(ActionKind::kLock, 7).act(ActionKind::kWait, 9, 7).act(ActionKind::kWake, 9);
  t.act(ActionKind::kLock, 7).act(ActionKind::kUnlock, 7).end();
  t.on(1).act(ActionKind::kSignal, 9).end();
  const Answer answer = ask_for_deadlock(t.h, {}, {}, {});
  ASSERT_EQ(answer.verdict, Verdict::kYes);
}

}  // namespace
}  // namespace raddle::causal
