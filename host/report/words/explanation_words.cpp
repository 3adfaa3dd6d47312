#include "host/report/words/explanation_words.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "host/report/words/access_words.hpp"
#include "host/report/words/cause_sentences.hpp"
#include "host/report/words/object_words.hpp"
#include "host/report/words/unnamed/unnamed_words.hpp"

namespace raddle {
namespace {

std::string equals(std::optional<std::int64_t> value) {
  return value ? fmt::format(" = {}", *value) : std::string();
}

std::string action_words(const Explanation& explanation, const ExplainedStep& step) {
  const std::string object = explained_object_words(explanation);
  const std::string own = explanation.object.field.empty() ? "it" : explanation.object.field;
  const std::string& field = step.object.empty() ? own : step.object;
  switch (step.action) {
    case StepAction::kReads:
      return fmt::format("reads {}{}", field, equals(step.read));
    case StepAction::kWrites:
      return fmt::format("writes {}{}", field, equals(step.written));
    case StepAction::kUpdates:
      return fmt::format("{} {} -> {}", field, *step.read, *step.written);
    case StepAction::kExchanges:
      return fmt::format("compare-and-swap {} {} -> {}", field, *step.read, *step.written);
    case StepAction::kChanges:
      return "changes " + field;
    case StepAction::kAboutToWrite:
      return explanation.cause == Cause::kUsedWhileMade ? "is about to make it"
                                                        : "is about to write " + field;
    case StepAction::kUses:
      return "uses " + field;
    case StepAction::kCalls:
      return "calls a function of " + (step.object.empty() ? "it" : step.object);
    case StepAction::kMakes:
      return "makes " + (step.object.empty() ? "it" : step.object);
    case StepAction::kDestroys:
      return "destroys " + (step.object.empty() ? object : step.object);
    case StepAction::kFrees:
      return "frees " + (step.object.empty() ? object : step.object);
    case StepAction::kReturns:
      return "returns from " + function_or_unknown(step.where.function);
    case StepAction::kStarts:
      return step.thread == explanation.first.thread
                 ? "starts a thread"
                 : "starts " + thread_label(explanation.first.thread);
    case StepAction::kEnds:
      return "ends";
    case StepAction::kLocks:
      return "locks " + (step.object.empty() ? object : step.object);
    case StepAction::kLocksShared:
      return fmt::format("locks {} (shared)", step.object.empty() ? object : step.object);
    case StepAction::kUnlocks:
      return "unlocks " + (step.object.empty() ? object : step.object);
    case StepAction::kGivesBack:
      return "waits, gives back " + object;
    case StepAction::kHasAgain:
      return "has it again: " + (step.object.empty() ? object : step.object);
    case StepAction::kNotifies:
      return fmt::format("{} on {}, {} woken", notify_one_word(explanation),
                         step.object.empty() ? object : step.object, step.woken);
    case StepAction::kNotifiesAll:
      return fmt::format("{} on {}, {} woken", notify_all_word(explanation),
                         step.object.empty() ? object : step.object, step.woken);
    case StepAction::kWakes:
      return "wakes up";
    case StepAction::kTimesOut:
      return "gives up: time-out";
    case StepAction::kArrives:
      return "arrives at " + object;
    case StepAction::kTakes:
      return "takes " + object;
    case StepAction::kPosts:
      return "posts " + object;
    case StepAction::kPasses:
      return "goes on past " + object;
    case StepAction::kWaitsOn:
      return fmt::format("waits on {}{}", step.object.empty() ? object : step.object,
                         step.lock.empty() ? "" : ", gives back " + step.lock);
  }
  return {};
}

}  // namespace

bool of_locks(const Explanation& explanation) {
  return explanation.cause == Cause::kLockReacquired || explanation.cause == Cause::kNotLookedAgain;
}

std::string explained_object_words(const Explanation& explanation) {
  const ExplainedObject& object = explanation.object;
  if (!object.name.empty()) return object.name;
  const bool heap =
      explanation.cause == Cause::kUseAfterFree || explanation.cause == Cause::kDoubleFree;
  if (heap && !explanation.other.name.empty()) return "the memory of " + explanation.other.name;
  // A local variable without the function that it is in: the places say that.
  const bool local = object.ref && object.ref->name.kind == ObjectName::Kind::kLocal;
  const std::string known = !object.ref ? std::string()
                            : local     ? object.ref->name.path
                                        : brief_object_words(*object.ref);
  return known.empty() ? unnamed_words(explanation) : known;
}

std::string explained_lock_words(const Explanation& explanation) {
  if (of_locks(explanation)) return explained_object_words(explanation);
  if (!explanation.lock) return "the lock";
  if (!explanation.lock->name.empty()) return explanation.lock->name;
  const Where taken = explanation.lock->taken.value_or(Where());
  if (taken.empty()) return "the lock";
  return (taken.line == 0 ? "the lock taken in " : "the lock of ") + short_place(taken);
}

std::string title_words(const Explanation& explanation) {
  const std::string object = explained_object_words(explanation);
  switch (explanation.cause) {
    case Cause::kNone:
      return {};
    case Cause::kLockCycle:
      return "locks taken in different orders";
    case Cause::kSelfDeadlock:
      return "locked again by the thread that holds it: " + object;
    case Cause::kLockUpgrade:
      return "held for reading and wanted for writing: " + object;
    case Cause::kJoinUnderLock:
      return "joins a thread that needs a lock it holds: " + object;
    case Cause::kLeftLocked:
      return "held by a thread that has ended: " + object;
    case Cause::kLostSignal:
      return "lost wake-up: " + object;
    case Cause::kMissingNotify:
      return "changed without a notify: " + named(explanation.other);
    case Cause::kEachOther:
      return "both wait on what both have changed: " + named(explanation.other);
    case Cause::kUnwatchedChange:
      return (explanation.early ? "not looked at again before the wait: "
                                : "waits without a look at ") +
             named(explanation.other);
    case Cause::kChangedBack:
      return "changed back before the waiter looked: " + named(explanation.other);
    case Cause::kNotifyOne:
      return fmt::format("{} woke the wrong thread: {}", notify_one_word(explanation), object);
    case Cause::kTooFewWoken:
      return fmt::format("{} woke one of {} waiters: {}", notify_one_word(explanation),
                         explanation.waiters, object);
    case Cause::kMissingArrival:
      return "a thread did not arrive at the barrier: " + object;
    case Cause::kTooFewArrive:
      return "fewer threads arrive than the barrier waits for: " + object;
    case Cause::kTooFewPosts:
      return "posted too few times: " + object;
    case Cause::kUnreachedValue:
      return "waits for a change that does not come: " + object;
    case Cause::kWokenInVain:
      return "waits inside the library, though there is something to take: " + object;
    case Cause::kMadeForTooFew:
      return (explanation.counted == CountedKind::kLatch
                  ? "counted down more often than it was made for: "
                  : "more threads arrive than the barrier waits for: ") +
             object;
    case Cause::kPostedAgain:
      return "posted more often than taken: " + object;
    case Cause::kPermitKept:
      return "taken, and not posted again: " + object;
    case Cause::kLetBothIn:
      return fmt::format("{} let {} go on while {} had it", object,
                         thread_label(explanation.last.thread),
                         thread_label(explanation.first.thread));
    case Cause::kUnfulfilledFutures:
      return "waits for futures that nobody is left to fulfil";
    case Cause::kPutTooLate:
      return "put where nobody takes any more: " + object;
    case Cause::kWaitUnderLock:
      return "held while waiting: " + object;
    case Cause::kJoinableDestroyed:
      return "a thread neither joined nor detached: " + object;
    case Cause::kUseAfterFree:
      return "use after free: " + object;
    case Cause::kDoubleFree:
      return "freed twice: " + object;
    case Cause::kSplitRelease:
      return "counted down, then read again: " + object;
    case Cause::kUseAfterDestruction:
      return "use after destruction: " + object;
    case Cause::kUseAfterReturn:
      return "use after return: " + object;
    case Cause::kDestroyedLocked:
      return "destroyed while locked: " + object;
    case Cause::kDestroyedAwaited:
      return "destroyed while a thread waits on it: " + object;
    case Cause::kUnlockedTwice:
      return "unlocked twice: " + object;
    case Cause::kHeldByAnother:
      return "unlocked while another thread holds it: " + object;
    case Cause::kDestroyedInUse:
      return "destroyed while in use: " + object;
    case Cause::kUsedWhileMade:
      return "used while it is made: " + object;
    case Cause::kRacedSharedPtr:
      return "one shared_ptr variable, two threads: " + object;
    case Cause::kUnsafePublication:
      return "made known before it was ready: " + object;
    case Cause::kUsedBeforeInit:
      return "used before it was set: " + object;
    case Cause::kReadTooEarly:
      return "read too early: " + object;
    case Cause::kReadTooLate:
      return "read after it was changed: " + object;
    case Cause::kTryFailed:
      return "the lock was not free: " + explained_lock_words(explanation);
    case Cause::kGaveUpWaiting:
      return "went on after a time-out: " + object;
    case Cause::kTimeOut:
      return "came after the time-out: " +
             (explanation.object.name.empty() && !explanation.other.name.empty()
                  ? explanation.other.name
                  : object);
    case Cause::kMissedAtTimeOut:
      return "not looked at when the wait timed out: " + object;
    case Cause::kReusedEarly:
      return fmt::format("written again before {} was done with it: {}",
                         thread_label(explanation.last.thread), object);
    case Cause::kNotCheckedAgain:
      return "not checked again after the wait: " + object;
    case Cause::kWrittenByReader:
      return "written under a lock held for reading: " + object;
    case Cause::kAba:
      return "ABA: " + object;
    case Cause::kCheckThenAct:
      return "check-then-act on " + object;
    case Cause::kLostUpdate:
      return "lost update of " + object;
    case Cause::kTwoReads:
      return "two reads that differ: " + object;
    case Cause::kOverwritten:
      return "changed before it was read back: " + object;
    case Cause::kSeenHalfWay:
      return "seen half-way: " + object;
    case Cause::kTornPair:
      if (explanation.one_object) return "half new, half old: " + object;
      return fmt::format("one new and one old: {} and {}", object, named(explanation.other));
    case Cause::kCameBetween:
      if (explanation.turn && !explanation.turn->late_here) {
        return fmt::format("{} came before {} went on: {}", thread_label(explanation.middle.thread),
                           thread_label(explanation.last.thread), object);
      }
      return fmt::format("{} came between two steps of {}: {}",
                         thread_label(explanation.middle.thread),
                         thread_label(explanation.last.thread), object);
    case Cause::kCameTooEarly: {
      const bool abandoned = explanation.turn && explanation.turn->abandoned;
      return fmt::format("{}{} came too early: {}",
                         abandoned ? "a promise destroyed without a value, since " : "",
                         thread_label(explanation.middle.thread), object);
    }
    case Cause::kOvertaken:
      return fmt::format(
          "{} overtook {} between {} and {}", thread_label(explanation.middle.thread),
          thread_label(explanation.last.thread), object, explained_lock_words(explanation));
    case Cause::kUnordered:
      return "unordered accesses: " + object;
    case Cause::kLastWriter:
      return "read before the failure: " + object;
    case Cause::kLockReacquired:
      return "released and taken again: " + object;
    case Cause::kNotLookedAgain:
      return "given back while waiting: " + object;
  }
  return {};
}

std::string explained_step_words(const Explanation& explanation, const ExplainedStep& step) {
  const std::string what = action_words(explanation, step);
  return step.callee.empty() ? what : step.callee + "()  " + what;
}

}  // namespace raddle
