#include "host/report/words/unnamed/unnamed_words.hpp"

namespace raddle {
namespace {

const char* counted_words(CountedKind kind) {
  switch (kind) {
    case CountedKind::kSemaphore:
      return "the semaphore";
    case CountedKind::kLatch:
      return "the latch";
    case CountedKind::kBarrier:
      return "the barrier";
  }
  return "";
}

}  // namespace

std::string unnamed_words(const Explanation& explanation) {
  switch (explanation.cause) {
    case Cause::kLockCycle:
    case Cause::kSelfDeadlock:
    case Cause::kLockUpgrade:
    case Cause::kJoinUnderLock:
    case Cause::kLeftLocked:
    case Cause::kWaitUnderLock:
    case Cause::kDestroyedLocked:
    case Cause::kUnlockedTwice:
    case Cause::kHeldByAnother:
    case Cause::kLockReacquired:
    case Cause::kNotLookedAgain:
    case Cause::kTimeOut:  // of a variable it has a name
      return "the lock";
    case Cause::kLostSignal:
    case Cause::kMissingNotify:
    case Cause::kEachOther:
    case Cause::kUnwatchedChange:
    case Cause::kChangedBack:
    case Cause::kNotifyOne:
    case Cause::kTooFewWoken:
    case Cause::kDestroyedAwaited:
      return "the condition variable";
    case Cause::kMissingArrival:
    case Cause::kTooFewArrive:
    case Cause::kMadeForTooFew:
      return counted_words(explanation.counted.value_or(CountedKind::kBarrier));
    case Cause::kTooFewPosts:
    case Cause::kWokenInVain:
    case Cause::kPostedAgain:
    case Cause::kPermitKept:
    case Cause::kLetBothIn:
      return explanation.by_hand ? "a variable" : "the semaphore";
    case Cause::kJoinableDestroyed:
      return "a std::thread";
    case Cause::kUseAfterFree:
    case Cause::kDoubleFree:
      return "a block of the heap";
    case Cause::kUseAfterDestruction:
    case Cause::kDestroyedInUse:
    case Cause::kUsedWhileMade:
    case Cause::kCameBetween:
    case Cause::kCameTooEarly:
    case Cause::kOvertaken:
      return "the object";
    case Cause::kNone:
    case Cause::kUnreachedValue:
    case Cause::kUnfulfilledFutures:
    case Cause::kPutTooLate:
    case Cause::kSplitRelease:
    case Cause::kUseAfterReturn:
    case Cause::kRacedSharedPtr:
    case Cause::kUnsafePublication:
    case Cause::kUsedBeforeInit:
    case Cause::kReadTooEarly:
    case Cause::kReadTooLate:
    case Cause::kTryFailed:
    case Cause::kGaveUpWaiting:
    case Cause::kMissedAtTimeOut:
    case Cause::kReusedEarly:
    case Cause::kNotCheckedAgain:
    case Cause::kWrittenByReader:
    case Cause::kAba:
    case Cause::kCheckThenAct:
    case Cause::kLostUpdate:
    case Cause::kTwoReads:
    case Cause::kOverwritten:
    case Cause::kSeenHalfWay:
    case Cause::kTornPair:
    case Cause::kUnordered:
    case Cause::kLastWriter:
      return "a variable";
  }
  return {};
}

}  // namespace raddle
