// One cause at a time, in traces written by hand, each beside one that differs in what makes it the
// cause. tests/causes_test.py has whole programs.
#include <gtest/gtest.h>

#include <string>

#include "host/describe/explain/orders/too_early.hpp"
#include "host/describe/explain/turning/turning_point.hpp"
#include "host/describe/explanation.hpp"
#include "host/report/words/explanation_words.hpp"
#include "host/trace/testing/event_samples.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kHead = 0x5000;
constexpr std::uint64_t kNext = 0x5040;
constexpr std::uint64_t kLock = 0x5080;
constexpr std::uint64_t kCondition = 0x50c0;

class Told {
 public:
  Told() {
    for (const auto& [place, name] :
         {std::pair{kHead, "head"}, {kNext, "next"}, {kLock, "mutex"}, {kCondition, "changed"}}) {
      trace.define_object(place, 8, name);
    }
  }

  Told& by(std::uint16_t thread) {
    story.thread = ThreadId{thread};
    ++story.step;
    return *this;
  }
  Told& reads(std::uint64_t place, std::uint64_t value, std::uint32_t line) {
    return add(EventKind::read, place, line, value, 0);
  }
  Told& writes(std::uint64_t place, std::uint64_t value, std::uint32_t line) {
    return add(EventKind::write, place, line, value, 0);
  }
  Told& loads(std::uint64_t place, std::uint64_t value, std::uint32_t line) {
    return add(EventKind::atomic_load, place, line, value, 0);
  }
  Told& exchanges(std::uint64_t place, std::uint64_t from, std::uint64_t to, std::uint32_t line) {
    return add(EventKind::atomic_compare, place, line, from, to, kSuccess);
  }
  Told& locks() { return add(EventKind::acquire, kLock, 1, 1, 0); }
  Told& unlocks() { return add(EventKind::release, kLock, 1, 0, 0); }
  Told& waits(std::uint32_t line) {
    add(EventKind::wait, kCondition, line, kLock, 0);
    return add(EventKind::release, kLock, line, 0, 0, kByWait);
  }
  Told& wakes(std::uint32_t line, std::uint64_t how = 0) {
    add(EventKind::wake, kCondition, line, how, 0);
    return add(EventKind::acquire, kLock, line, 1, 0, kByWait);
  }
  Told& notifies(std::uint32_t line, std::uint64_t woken, std::uint8_t flags = 0) {
    return add(EventKind::notify, kCondition, line, woken, 0, flags);
  }
  Told& enters(const std::string& name = "update") {
    story.event(EventKind::enter, 0, story.function(name));
    function = name;
    return *this;
  }
  Told& leaves() {
    story.event(EventKind::exit, 0, kNoSite);
    return *this;
  }

  Explanation explained(std::uint16_t failing) {
    Failure failure;
    failure.kind = OutcomeKind::kAssertion;
    failure.thread = ThreadId{failing};
    failure.threads = lines;
    return explain(trace, failure, symbols);
  }

  Explanation deadlocked(std::initializer_list<std::uint16_t> waiting) {
    Failure failure;
    failure.kind = OutcomeKind::kDeadlock;
    failure.verdict = Verdict{};
    for (const std::uint16_t id : waiting) {
      WaitingThread thread;
      thread.thread = ThreadId{id};
      thread.doing.kind = Doing::Kind::kBlocked;
      thread.doing.op = OpKind::cond_wait;
      thread.doing.object.cls = ObjectClass::cond;
      thread.where.function = "update";
      failure.verdict->waiting.push_back(thread);
    }
    return explain(trace, failure, symbols);
  }

  KeptTrace trace;
  samples::Story story{trace};
  Symbolizer symbols;
  std::vector<ThreadLine> lines;
  std::string function = "update";  // of the events that follow

 private:
  Told& add(EventKind kind, std::uint64_t object, std::uint32_t line, std::uint64_t value,
            std::uint64_t value2, std::uint8_t flags = 0) {
    Event event{};
    event.kind = kind;
    event.flags = flags;
    event.thread = story.thread;
    event.site = story.at(function, "/src/list.cpp", line, kind);
    event.step = story.step;
    event.object = object;
    event.value = value;
    event.value2 = value2;
    event.size = 4;
    trace.events({&event, 1});
    return *this;
  }
};

std::string cause(const Explanation& explanation) { return cause_text(explanation.cause); }

TEST(Cause, Aba) {
  Told told;
  told.by(1).loads(kHead, 1, 10).reads(kNext, 2, 11);
  told.by(2).exchanges(kHead, 1, 2, 20).writes(kNext, 3, 21).exchanges(kHead, 2, 1, 22);
  told.by(1).exchanges(kHead, 1, 2, 12);
  const Explanation found = told.explained(1);
  EXPECT_EQ(cause(found), "aba");
  EXPECT_EQ(found.first.where.line, 10U);
  EXPECT_EQ(found.last.where.line, 12U);
  EXPECT_EQ(found.object.name, "head");
  EXPECT_EQ(found.other.name, "next");
}

TEST(Cause, AValueThatCameBackAndMisledNobodyIsNoAba) {
  Told told;
  told.by(1).loads(kHead, 1, 10).reads(kNext, 2, 11);
  told.by(2).exchanges(kHead, 1, 2, 20).exchanges(kHead, 2, 1, 22);
  told.by(1).exchanges(kHead, 1, 2, 12);
  EXPECT_NE(cause(told.explained(1)), "aba");
}

TEST(Cause, TwoVariablesOfWhichOneIsNew) {
  Told told;
  told.by(1).reads(kHead, 0, 10);
  told.by(2).enters().writes(kHead, 5, 20).writes(kNext, 5, 21);
  told.by(1).reads(kNext, 5, 11);
  const Explanation found = told.explained(1);
  EXPECT_EQ(cause(found), "torn-pair");
  EXPECT_EQ(found.object.name, "head");
  EXPECT_EQ(found.other.name, "next");
}

TEST(Cause, WhichOfTwoVariablesIsOldIsAMatterOfOrderNotOfNumbers) {
  Told told;
  told.by(1).reads(kHead, 0x7f00'0000'1000, 10);
  told.by(2).enters().writes(kHead, 0x7f00'0000'2000, 20).writes(kNext, 5, 21);
  told.by(1).reads(kNext, 5, 11);
  EXPECT_TRUE(told.explained(1).first_is_old);
}

TEST(Cause, TwoVariablesReadByTwoGettersThatLock) {
  const auto read = [](bool by_one) {
    Told told;
    told.by(1).enters("look");
    told.enters("version").locks().reads(kHead, 0, 10).unlocks().leaves();
    told.by(2).enters("update").locks().writes(kHead, 5, 20).writes(kNext, 5, 20).unlocks();
    told.by(1);
    if (!by_one) told.leaves().enters("later");
    told.enters("value").locks().reads(kNext, 5, 11).unlocks().leaves();
    return told.explained(1);
  };
  const Explanation found = read(true);
  EXPECT_EQ(cause(found), "torn-pair");
  EXPECT_EQ(found.suggestion, Suggestion::kLockOnce);
  EXPECT_EQ(found.lock->name, "mutex");
  EXPECT_EQ(found.lockers, (std::vector<std::string>{"version", "value"}));
  EXPECT_NE(cause(read(false)), "torn-pair") << "nobody compares the two";
}

TEST(Cause, WhoReadsBothAfterBothWritesSeesNoTornPair) {
  Told told;
  told.by(2).enters().writes(kHead, 5, 20).writes(kNext, 5, 21);
  told.by(1).reads(kHead, 5, 10).reads(kNext, 5, 11);
  EXPECT_NE(cause(told.explained(1)), "torn-pair");
}

TEST(Cause, WhatComesAfterATimeOut) {
  Told told;
  told.by(1).locks().reads(kHead, 0, 10).waits(11).wakes(11, 1).unlocks();
  told.by(2).locks().writes(kHead, 7, 20).unlocks();
  told.by(1).locks().reads(kHead, 7, 12).unlocks();
  const Explanation found = told.explained(1);
  EXPECT_EQ(cause(found), "time-out");
  EXPECT_EQ(found.first.where.line, 11U);
  EXPECT_EQ(found.last.where.line, 12U);
}

TEST(Cause, AWaitAfterWhichNobodyLooked) {
  const auto cause_of = [](std::uint32_t line) {
    Told told;
    told.by(1).locks().reads(kHead, 0, 10).waits(10);
    told.by(3).locks().writes(kHead, 1, 30).notifies(31, 1).unlocks();
    told.by(2).locks().reads(kHead, 1, 20).writes(kHead, 0, 21).unlocks();
    told.by(1).wakes(10).reads(kHead, 0, line);
    return cause(told.explained(1));
  };
  EXPECT_EQ(cause_of(11), "not-checked-after-wait");
  EXPECT_NE(cause_of(10), "not-checked-after-wait") << "it looks again where it looked before";
}

TEST(Cause, ASignalBetweenTheLookAndTheWait) {
  Told told;
  told.by(1).locks().reads(kHead, 0, 10);
  told.by(2).writes(kHead, 1, 20).notifies(21, 0);
  told.by(1).waits(11);
  const Explanation found = told.deadlocked({1});
  EXPECT_EQ(cause(found), "lost-wakeup");
  EXPECT_EQ(found.first.where.line, 21U);
  EXPECT_EQ(found.other.name, "head");
  EXPECT_EQ(found.suggestion, Suggestion::kSignalUnderLock);
}

TEST(Cause, ASignalThatNothingRemembers) {
  Told told;
  told.by(2).locks().notifies(20, 0).unlocks();
  told.by(1).locks().waits(10);
  told.by(2).reads(kNext, 0, 22);
  const Explanation found = told.deadlocked({1});
  EXPECT_EQ(cause(found), "lost-wakeup");
  EXPECT_EQ(found.suggestion, Suggestion::kSetVariable);
}

TEST(Cause, AChangeThatNobodyIsToldOf) {
  const auto cause_of = [](bool tells) {
    Told told;
    told.by(2).locks().notifies(19, 0).unlocks();
    told.by(1).locks().reads(kHead, 0, 10).waits(11);
    told.by(2).locks().writes(kHead, 1, 20).unlocks();
    if (tells) told.notifies(21, 0);
    return cause(told.deadlocked({1}));
  };
  EXPECT_EQ(cause_of(false), "missing-notify");
  EXPECT_NE(cause_of(true), "missing-notify");
}

TEST(Cause, ASignalForOneThatWokeTheWrongThread) {
  const auto cause_of = [](std::uint8_t flags, bool uses) {
    Told told;
    told.by(1).locks().reads(kHead, 0, 10).waits(11);
    told.by(3).locks().waits(31);
    told.by(2).locks().notifies(20, 1, flags).unlocks();
    told.by(1).wakes(11);
    if (uses) told.reads(kHead, 1, 12).writes(kHead, 0, 13);
    told.by(3).reads(kHead, 0, 33);
    told.by(1).waits(11);
    return cause(told.deadlocked({1, 3}));
  };
  EXPECT_EQ(cause_of(0, false), "notify-one");
  EXPECT_NE(cause_of(kAll, false), "notify-one");
  EXPECT_NE(cause_of(0, true), "notify-one") << "who was woken did something";
}

TEST(Cause, ALookBeforeTheLockIsTaken) {
  const auto cause_of = [](bool locked) {
    Told told;
    told.by(1).reads(kHead, 0, 10);
    told.by(2);
    if (locked) told.locks();
    told.writes(kHead, 1, 20).notifies(21, 0);
    if (locked) told.unlocks();
    told.by(1).locks().waits(11);
    return told.deadlocked({1});
  };
  const Explanation found = cause_of(true);
  EXPECT_EQ(cause(found), "lost-wakeup");
  EXPECT_EQ(found.other.name, "head");
  EXPECT_EQ(found.middle.where.line, 10U);
  EXPECT_EQ(suggestion_words(found),
            "read head and wait at list.cpp:11 without releasing mutex in between.");
  EXPECT_EQ(explanation_sentences(found).at(1),
            "T1 did not hold mutex all the time from there to the wait at list.cpp:11.");
  const Explanation neither = cause_of(false);
  EXPECT_EQ(suggestion_words(neither),
            "hold mutex where head is changed (list.cpp:20), and from a look at it to the wait at "
            "list.cpp:11.");
  EXPECT_EQ(explanation_sentences(neither).at(1),
            "Neither T1 at list.cpp:10 nor T2 at list.cpp:20 held mutex.");
}

TEST(Cause, ASignalForOneOfTwoThatWaitForTheSame) {
  const auto cause_of = [](std::uint8_t flags, std::uint64_t last) {
    Told told;
    told.by(1).locks().reads(kHead, 0, 10).waits(11);
    told.by(3).locks().reads(kHead, 0, 10).waits(11);
    told.by(2).locks().writes(kHead, 1, 20).unlocks().notifies(21, 1, flags);
    told.by(3).wakes(11).reads(kHead, 1, 10);
    if (last != 1) told.writes(kHead, last, 12);
    told.unlocks();
    return told.deadlocked({1});
  };
  const Explanation found = cause_of(0, 1);
  EXPECT_EQ(cause(found), "too-few-woken");
  EXPECT_EQ(found.waiters, 2U);
  EXPECT_EQ(explanation_sentences(found).front(),
            "T1 read head (0) and waited at list.cpp:11; T2 changed it to 1 at list.cpp:20. "
            "pthread_cond_signal at list.cpp:21 woke T3, and nobody wakes T1.");
  EXPECT_NE(cause(cause_of(kAll, 1)), "too-few-woken");
  EXPECT_NE(cause(cause_of(0, 0)), "too-few-woken") << "there is nothing left to wake for";
}

TEST(Cause, WhatIsReadBeforeItIsWritten) {
  Told told;
  told.by(2);
  told.story.event(EventKind::fork, 0, kNoSite, 1);
  told.by(1).reads(kHead, 0, 10);
  ThreadLine writer;
  writer.id = ThreadId{2};
  writer.doing.kind = Doing::Kind::kAboutTo;
  writer.doing.op = OpKind::memory_write;
  writer.address = kHead;
  told.lines = {writer};
  EXPECT_EQ(cause(told.explained(1)), "used-before-init");
  told.lines.front().address = kNext;
  EXPECT_NE(cause(told.explained(1)), "used-before-init") << "something else";
}

TEST(Cause, WhatWasThereBeforeTheThreadBeganIsNoCause) {
  Told told;
  told.by(2).writes(kHead, 7, 20);
  told.story.event(EventKind::fork, 0, kNoSite, 1);
  told.by(1).reads(kHead, 7, 10);
  EXPECT_EQ(cause(told.explained(1)), "unknown");
}

TEST(Cause, WhoWroteLastIsAFactWithoutASuggestion) {
  Told told;
  told.by(2).locks().writes(kHead, 7, 20).unlocks();
  told.by(1).locks().reads(kHead, 7, 10).unlocks();
  const Explanation found = told.explained(1);
  EXPECT_EQ(cause(found), "last-writer");
  EXPECT_EQ(suggestion_words(found), "");
  EXPECT_EQ(explanation_sentences(found).front(),
            "T1 read head (7) at list.cpp:10; T2 had written it at list.cpp:20.");
}

TEST(Cause, WhatIsReadTwiceIsNotBlamedBeforeTheData) {
  Told told;
  told.by(1).enters("read").loads(kLock, 0, 10).loads(kHead, 100, 11);
  told.by(2).enters("publish").writes(kHead, 200, 20).writes(kNext, 201, 21);
  told.function = "read";
  told.by(1).loads(kNext, 201, 12).loads(kLock, 0, 13);
  told.function = "publish";
  told.by(2).writes(kLock, 1, 22);
  const Explanation found = told.explained(1);
  EXPECT_EQ(cause(found), "torn-pair");
  EXPECT_EQ(found.object.name, "head");
  EXPECT_EQ(found.other.name, "next");
}

Explanation compared(Told& failing, const Told& passing) {
  Failure failure;
  failure.kind = OutcomeKind::kAssertion;
  failure.thread = ThreadId{1};
  return explain_by_passing(failing.trace, failure, passing.trace, failing.symbols)
      .value_or(Explanation{});
}

TEST(Cause, AReadThatComesLaterInAnExecutionThatPasses) {
  Told failing;
  failing.by(2).writes(kHead, 1, 20);
  failing.by(1).reads(kHead, 1, 10);
  Told passing;
  passing.by(2).writes(kHead, 1, 20).writes(kHead, 2, 21);
  passing.by(1).reads(kHead, 2, 10);
  const Explanation found = compared(failing, passing);
  EXPECT_EQ(cause(found), "read-too-early");
  EXPECT_EQ(found.first.where.line, 10U);
  EXPECT_EQ(found.last.where.line, 21U);
  EXPECT_EQ(found.last.thread, ThreadId{2});
}

TEST(Cause, AReadOfWhatWasWrittenInBothIsNotTooEarly) {
  Told failing;
  failing.by(2).writes(kHead, 2, 21);
  failing.by(3).writes(kHead, 1, 30);
  failing.by(1).reads(kHead, 1, 10);
  Told passing;
  passing.by(3).writes(kHead, 1, 30);
  passing.by(2).writes(kHead, 2, 21);
  passing.by(1).reads(kHead, 2, 10);
  EXPECT_TRUE(compared(failing, passing).empty());
}

// T1 writes head and next; T2 reads next, in between or after both.
class Turning : public testing::Test {
 protected:
  Turning() {
    failing_.by(1).writes(kHead, 1, 10);
    failing_.by(2).reads(kNext, 0, 20);
    failing_.by(1).writes(kNext, 1, 11);
    failing_.by(3).reads(kHead, 1, 30);  // so that others may notice head, too
    Told passing;
    passing.by(1).writes(kHead, 1, 10);
    passing.by(1).writes(kNext, 1, 11);
    passing.by(2).reads(kNext, 1, 20);
    point_.passing = std::move(passing.trace);
    point_.early = 2;
    point_.late = 3;
    point_.passing_late = 2;
    point_.passing_early = 3;
  }

  TurningStory told() {
    Failure failure;
    failure.kind = OutcomeKind::kAssertion;
    failure.thread = ThreadId{2};
    std::optional<TurningStory> story =
        explain_turning_point(failing_.trace, failure, point_, failing_.symbols);
    EXPECT_TRUE(story);
    return story.value_or(TurningStory{});
  }

  Told failing_;
  TurningPoint point_;
};

TEST_F(Turning, CameBetween) {
  point_.begin = 1;
  const Explanation found = told().explanation;
  EXPECT_EQ(cause(found), "came-between");
  EXPECT_EQ(found.object.name, "next");
  EXPECT_EQ(found.first.where.line, 10U);
  EXPECT_EQ(found.middle.where.line, 20U);
  EXPECT_EQ(found.last.where.line, 11U);
  EXPECT_EQ(found.suggestion, Suggestion::kKeepOut);
}

TEST_F(Turning, CameTooEarly) {
  Explanation found = told().explanation;
  EXPECT_EQ(cause(found), "came-too-early");
  EXPECT_EQ(found.suggestion, Suggestion::kNone);  // no other executions were tried
  point_.helps_always = true;
  found = told().explanation;
  EXPECT_EQ(found.suggestion, Suggestion::kComeAfter);
}

// The value that the step has in another execution is not said of this one.
TEST_F(Turning, ValuesOfThisExecution) {
  EXPECT_EQ(told().explanation.turn->late.written, 1);
  point_.late.reset();
  EXPECT_EQ(told().explanation.turn->late.written, std::nullopt);
}

TEST_F(Turning, ReplacesWhatTheOrderDoesNotConfirm) {
  point_.begin = 1;
  const TurningStory story = told();
  Explanation other;
  other.cause = Cause::kCheckThenAct;
  other.object.name = "elsewhere";
  EXPECT_TRUE(says_more(story, other));
  other.object.name = "next";
  EXPECT_FALSE(says_more(story, other));
  other.cause = Cause::kLockReacquired;
  EXPECT_TRUE(says_more(story, other));
  other.last.thread = ThreadId{1};
  other.middle.thread = ThreadId{2};
  EXPECT_FALSE(says_more(story, other));  // the same threads, and what they meet by
  other.cause = Cause::kUseAfterFree;
  EXPECT_FALSE(asks_for_turning_point(other));
}

// T2 failed: that T1 came between its own steps says as much, and of the thread that failed.
TEST_F(Turning, LeavesTheStoryOfTheThreadThatFailed) {
  Explanation guess;
  guess.cause = Cause::kLockReacquired;
  guess.object.name = "next";
  guess.last.thread = ThreadId{2};
  guess.middle.thread = ThreadId{1};
  guess.suggestion = Suggestion::kLockOnce;
  guess.steps = {{.thread = ThreadId{2}, .step = 2}, {.thread = ThreadId{1}, .step = 3}};
  EXPECT_FALSE(says_more(told(), guess));  // T2 came too early
  point_.helps_always = true;
  EXPECT_TRUE(says_more(told(), guess));  // and is to wait
  point_.begin = 1;
  EXPECT_FALSE(says_more(told(), guess));  // it came between two steps of T1
  guess.steps.front().step = 4;
  EXPECT_TRUE(says_more(told(), guess));  // other steps
}

// Nobody came between two accesses of T2: it only came too early.
TEST_F(Turning, OrderIsNoInterference) {
  Explanation other;
  other.cause = Cause::kCheckThenAct;
  other.object.name = "next";
  other.middle.thread = ThreadId{1};
  EXPECT_TRUE(says_more(told(), other));
  other.middle.thread = ThreadId{2};
  EXPECT_FALSE(says_more(told(), other));
}

}  // namespace
}  // namespace raddle
