#include "host/report/words/explanation_words.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace raddle {
namespace {

const Cause kCauses[] = {
#define RADDLE_CAUSE_VALUE(identifier, text) Cause::identifier,
    RADDLE_CAUSES(RADDLE_CAUSE_VALUE)
#undef RADDLE_CAUSE_VALUE
};

constexpr auto kLastPattern = static_cast<std::uint8_t>(InterferenceKind::kWaited);
constexpr auto kLastAction = static_cast<std::uint8_t>(StepAction::kPasses);
constexpr auto kLastSuggestion = static_cast<std::uint8_t>(Suggestion::kComeAfter);

ExplainedStep step(StepAction action) {
  ExplainedStep one;
  one.thread = ThreadId{1};
  one.action = action;
  one.read = 1;
  one.written = 2;
  return one;
}

// Everything is there, and nothing has a name or a place.
Explanation nameless() {
  ExplainedAccess access;
  access.thread = ThreadId{1};
  Explanation one;
  one.first = one.middle = one.last = access;
  one.change = one.early = one.late = access;
  one.waited = one.started = Where();
  one.arrivals = {access};
  one.lockers = {"f"};
  one.start = one.value = 1;
  one.turn = ExplainedTurn{.begin = step(StepAction::kReads),
                           .early = step(StepAction::kWrites),
                           .late = step(StepAction::kWrites),
                           .fulfilled = access,
                           .taken_off = access};
  one.steps = {step(StepAction::kReads)};
  return one;
}

ExplainedLock nameless_lock() {
  ExplainedLock lock;
  lock.taken = lock.other_taken = lock.released = lock.taken_again = lock.instead_taken = Where();
  return lock;
}

// Where a name or a place is missing in the text; empty if nowhere.
std::string hole_in(const std::string& text) {
  const char* const holes[] = {"  ", " .", " ,", " ;", " :", " ()", "( ", "at ,", "at;", "``"};
  for (const char* hole : holes) {
    if (text.find(hole) != std::string::npos) return hole;
  }
  return text.ends_with(' ') || text.starts_with(' ') || text.ends_with(':') ? "at an end" : "";
}

void expect_whole(const Explanation& explanation) {
  std::vector<std::string> texts = explanation_sentences(explanation);
  texts.push_back(title_words(explanation));
  texts.push_back(summary_words(explanation));
  texts.push_back(suggestion_words(explanation));
  for (const std::string& text : texts)
    EXPECT_EQ(hole_in(text), "") << cause_text(explanation.cause) << ": " << text;
}

std::vector<std::optional<ExplainedLock>> locks() {
  ExplainedLock all = nameless_lock();
  all.first = all.middle = all.last = true;
  ExplainedLock shared = all;
  shared.middle_shared = shared.last_shared = true;
  shared.taken_again.reset();
  ExplainedLock once = nameless_lock();
  once.taken_again.reset();
  once.first = true;
  return {std::nullopt, all, shared, once};
}

TEST(UnnamedWords, WhatHasNoNameOrPlaceLeavesNoHole) {
  for (const Cause cause : kCauses) {
    for (int pattern = -1; pattern <= kLastPattern; ++pattern) {
      for (const std::optional<ExplainedLock>& lock : locks()) {
        Explanation one = nameless();
        one.cause = cause;
        one.lock = lock;
        if (!lock && (cause == Cause::kWrittenByReader || cause == Cause::kWaitUnderLock)) continue;
        if (pattern >= 0) one.pattern = static_cast<InterferenceKind>(pattern);
        expect_whole(one);
        one.object.ref = ObjectRef();
        if (cause == Cause::kMissingArrival) one.arrivals.clear();
        expect_whole(one);
      }
    }
  }
}

TEST(UnnamedWords, NoAdviceWithoutAPlace) {
  for (int i = 0; i <= kLastSuggestion; ++i) {
    for (const std::optional<ExplainedLock>& lock : locks()) {
      Explanation one = nameless();
      one.cause = Cause::kLostUpdate;
      one.pattern = InterferenceKind::kCheckThenAct;
      one.suggestion = static_cast<Suggestion>(i);
      one.lock = lock;
      if (!lock && one.suggestion == Suggestion::kHoldWithOther) continue;
      expect_whole(one);
      const std::string text = suggestion_words(one);
      EXPECT_EQ(text.find("not known"), std::string::npos) << text;
    }
  }
}

TEST(UnnamedWords, StepsOfWhatHasNoName) {
  for (const Cause cause : kCauses) {
    for (int i = 0; i <= kLastAction; ++i) {
      Explanation one = nameless();
      one.cause = cause;
      const std::string text = explained_step_words(one, step(static_cast<StepAction>(i)));
      EXPECT_EQ(hole_in(text), "") << text;
    }
  }
}

TEST(UnnamedWords, WhatThreadsWaitOnIsNoLock) {
  Explanation one = nameless();
  one.cause = Cause::kNotifyOne;
  EXPECT_EQ(title_words(one), "notify_one woke the wrong thread: the condition variable");
  EXPECT_EQ(explained_step_words(one, step(StepAction::kWaitsOn)),
            "waits on the condition variable");
  one.cause = Cause::kSelfDeadlock;
  EXPECT_EQ(title_words(one), "locked again by the thread that holds it: the lock");
  one.cause = Cause::kMadeForTooFew;
  one.counted = CountedKind::kLatch;
  EXPECT_EQ(title_words(one), "counted down more often than it was made for: the latch");
}

// A library takes it: all that is known is what had called the library.
TEST(UnnamedWords, ALockOfALibraryIsKnownByWhoCalledIt) {
  Explanation one = nameless();
  one.cause = Cause::kLostUpdate;
  one.pattern = InterferenceKind::kCheckThenAct;
  one.suggestion = Suggestion::kWriteLock;
  one.lock = ExplainedLock{.middle = true, .middle_shared = true};
  EXPECT_EQ(suggestion_words(one), "let T1 take the lock for writing.");
  one.lock->taken = Where{.function = "add"};
  EXPECT_EQ(suggestion_words(one), "let T1 take the lock taken in add for writing.");
  EXPECT_EQ(explanation_sentences(one).back(),
            "T1 holds the lock taken in add for reading only, and writes.");
}

}  // namespace
}  // namespace raddle
