// Which of two explanations says more: the pattern of accesses that a trace shows, or the two steps
// whose order decides.
#include <algorithm>
#include <initializer_list>

#include "host/describe/explain/turning/turning_point.hpp"

namespace raddle {

static bool is_one_of(Cause cause, std::initializer_list<Cause> causes) {
  return std::find(causes.begin(), causes.end(), cause) != causes.end();
}

static bool is_guess(const Explanation& explanation) {
  // That nobody is left who would fulfil a future does not say why.
  const bool unfulfilled = explanation.cause == Cause::kUnfulfilledFutures &&
                           explanation.suggestion == Suggestion::kNone;
  return unfulfilled ||
         is_one_of(explanation.cause, {Cause::kNone, Cause::kLastWriter, Cause::kUnordered,
                                       Cause::kLockReacquired, Cause::kNotLookedAgain});
}

bool asks_for_turning_point(const Explanation& explanation) {
  if (explanation.inside) return false;  // the lock by hand let both in, whatever they then did
  return is_guess(explanation) ||
         is_one_of(explanation.cause,
                   {Cause::kReadTooEarly, Cause::kReadTooLate, Cause::kCheckThenAct,
                    Cause::kTwoReads, Cause::kOverwritten});
}

// The guess was right: the same thread came between, since the same function had given up the lock.
static bool confirms(const TurningStory& story, const Explanation& guess) {
  const Explanation& found = story.explanation;
  const std::string lock = found.lock ? found.lock->name : found.object.name;
  return is_one_of(guess.cause, {Cause::kLockReacquired, Cause::kNotLookedAgain}) &&
         found.cause == Cause::kCameBetween && !lock.empty() && lock == guess.object.name &&
         (found.first.function == guess.first.function || guess.first.function.empty()) &&
         found.last.thread == guess.last.thread && found.middle.thread == guess.middle.thread;
}

static bool shows(const Explanation& explanation, const ExplainedStep& step) {
  return std::any_of(
      explanation.steps.begin(), explanation.steps.end(),
      [&](const ExplainedStep& one) { return one.thread == step.thread && one.step == step.step; });
}

// What became of a promise, or of a function that was taken off.
static bool tells_more(const ExplainedTurn& turn) {
  return turn.abandoned || turn.fulfilled || turn.called;
}

// The order that decides is that of the first two steps of the guess, which goes on to the step of
// the thread that failed.
static bool goes_on_to_failing(const TurningStory& story, const Explanation& guess) {
  const Explanation& found = story.explanation;
  const std::string lock = found.lock ? found.lock->name : found.object.name;
  const bool same_lock = is_one_of(guess.cause, {Cause::kLockReacquired, Cause::kNotLookedAgain}) &&
                         !lock.empty() && lock == guess.object.name;
  if (!same_lock || !found.turn || !found.turn->late_here || tells_more(*found.turn)) return false;
  const bool no_better =
      found.cause == Cause::kCameBetween ||
      (found.cause == Cause::kCameTooEarly && !found.turn->over &&
       found.suggestion == Suggestion::kNone && guess.suggestion != Suggestion::kNone);
  return no_better && guess.last.thread == story.failing &&
         found.middle.thread == guess.last.thread && found.last.thread == guess.middle.thread &&
         shows(guess, found.turn->early) && shows(guess, found.turn->late);
}

bool says_more(const TurningStory& story, const Explanation& explanation) {
  if (story.explanation.cause == Cause::kOvertaken) return true;
  if (is_guess(explanation))
    return !confirms(story, explanation) && !goes_on_to_failing(story, explanation);
  const bool between =
      is_one_of(story.explanation.cause, {Cause::kCameBetween, Cause::kLostUpdate});
  const bool published = story.explanation.cause == Cause::kUnsafePublication;
  // Of one order each: these say more about what was read.
  if (is_one_of(explanation.cause, {Cause::kReadTooEarly, Cause::kReadTooLate}))
    return between || published;
  const bool same = story.objects.contains(explanation.object.name) ||
                    story.objects.contains(explanation.other.name);
  // The other thread did not come between two accesses, but after a first one that came too early.
  const bool of_order =
      !between && story.explanation.last.thread == explanation.middle.thread &&
      is_one_of(explanation.cause, {Cause::kCheckThenAct, Cause::kTwoReads, Cause::kOverwritten});
  // Who disturbed it had been disturbed itself, before.
  const bool first = between && story.explanation.last.thread == explanation.middle.thread &&
                     is_one_of(explanation.cause, {Cause::kTwoReads, Cause::kOverwritten});
  return !same || (of_order && !published) || first;
}

}  // namespace raddle
