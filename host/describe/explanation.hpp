// Why an execution went wrong, as data: the cause, the few steps that matter, what was read and
// written, which locks were held, and what would have helped. Made from an execution's events by
// host/describe/explain/; host/report/words/explanation_words says it. Names are fit for a terminal
// and for JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/symbols/symbolizer.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

// X(identifier, what JSON calls it). What `first`, `middle` and `last` of an explanation are stands
// beside each.
#define RADDLE_CAUSES(X)                                                                           \
  X(kNone, "unknown")                                                                              \
  /* Deadlocks. first: where a thread took the lock; last: where it waits. */                      \
  X(kLockCycle, "lock-order")                                                                      \
  X(kSelfDeadlock, "self-deadlock") /* change: the call between the two, if known; its function is \
                                       the callback, if it is one */                               \
  X(kLockUpgrade, "lock-upgrade")   /* a lock held for reading is wanted for writing */            \
  X(kJoinUnderLock, "join-under-lock") /* first: who joins; last: who needs its lock */            \
  X(kLeftLocked, "left-locked")        /* first: who took it, and has ended; last: who waits */    \
  /* first: the signal; last: the wait. */                                                         \
  X(kLostSignal, "lost-wakeup")           /* nobody waited yet; `middle`, if any, is the look at a \
                                             variable that the signaller changed after it */       \
  X(kMissingNotify, "missing-notify")     /* first: the change that nobody was told of */          \
  X(kEachOther, "each-other")             /* `other`: what both have changed and look at. first,   \
                                             middle: the changes; change: the look; late: the      \
                                             other one's wait; last: the wait */                   \
  X(kUnwatchedChange, "unwatched-change") /* of `other`. first: the change; change: the signal     \
                                             after it; late: the waiter wakes, if it does; middle: \
                                             it looks at `third` alone; early: at `other`, but     \
                                             before the change; last: its wait */                  \
  X(kChangedBack, "changed-back")         /* of `other`. first: the change; change: the signal     \
                                             after it; early: the change back; late: the waiter    \
                                             wakes; middle: and looks; last: its wait */           \
  X(kNotifyOne, "notify-one")             /* middle: who was woken, and had no use for it */       \
  X(kTooFewWoken, "too-few-woken")        /* first: notify_one; middle: who was woken; change: of  \
                                             what `last` waits for, which was not woken */         \
  X(kMissingArrival, "missing-arrival")   /* first: who ended without arriving at the barrier */   \
  X(kTooFewArrive, "too-few-arrive")      /* at the barrier; first, last: who waits there */       \
  X(kTooFewPosts, "too-few-posts") /* of a semaphore. first: the last post; middle: who took it;   \
                                      last: who waits for one more */                              \
  X(kUnreachedValue, "unreached-value") /* of a latch, an atomic. first: the last change; last:    \
                                           the wait; `posts`: how many changes by others; `early`: \
                                           the last of who runs the same, and ended without */     \
  X(kWokenInVain, "library-wait") /* of a std::counting_semaphore that is not 0. first: the last   \
                                     post; last: who waits in the library all the same */          \
  X(kMadeForTooFew, "made-for-too-few") /* a latch or barrier; `arrivals`: who counts it down or   \
                                           arrives. first: where it is made, or the first of them; \
                                           last: who went on past it, or waits */                  \
  X(kPostedAgain, "posted-again") /* of a semaphore. first: the post of who had posted before what \
                                     it took; middle: that one; last: who took it with another */  \
  X(kPermitKept, "permit-kept")   /* of a semaphore. first: who took it, and ended or is `last`;   \
                                     middle: a post of what was taken there; last: who waits */    \
  X(kLetBothIn, "let-both-in") /* a semaphore: both have it, and one came between two steps of the \
                                  other, which `turn` tells. first: who took it; last: the other,  \
                                  which it let go on */                                            \
  X(kUnfulfilledFutures, "unfulfilled-futures") /* `arrivals`: who waits for them, those in tasks  \
                                                   first. first, last: of these */                 \
  X(kPutTooLate, "put-too-late") /* `object` was put where nobody takes any more. first: the put;  \
                                    middle: the last look of who took, and has ended; last: who    \
                                    waits. early: the putter's look at `other`; change: of that */ \
  X(kWaitUnderLock, "wait-under-lock") /* first: where a waiter took a lock that its wait does     \
                                          not give back; middle: who needs that; last: the wait */ \
  /* Lifetimes. first: the end of the object; last: its use after that. */                         \
  X(kUseAfterFree, "use-after-free") /* middle: where the user read the pointer, if known */       \
  X(kDoubleFree, "double-free")                                                                    \
  X(kSplitRelease, "split-release") /* of a count of owners. first: the user counts it down;       \
                                       early, middle: the other does, and looks; change: frees;    \
                                       last: the user looks; late: and frees, too */               \
  X(kUseAfterDestruction, "use-after-destruction")                                                 \
  X(kUseAfterReturn, "use-after-return")                                                           \
  X(kDestroyedLocked, "destroyed-locked")     /* first: who locked it; last: who destroys it */    \
  X(kDestroyedAwaited, "destroyed-awaited")   /* first: who waits on it; last: who destroys it */  \
  X(kDestroyedInUse, "destroyed-in-use")      /* destroyed while another thread calls it */        \
  X(kUsedWhileMade, "used-while-made")        /* called while it is made */                        \
  X(kRacedSharedPtr, "raced-shared-ptr")      /* two threads use one shared_ptr variable */        \
  X(kJoinableDestroyed, "joinable-destroyed") /* a std::thread. first: its start, if known */      \
  /* Locks. first: what makes it wrong; last: the unlock. */                                       \
  X(kUnlockedTwice, "unlocked-twice")  /* first: the same thread's unlock before */                \
  X(kHeldByAnother, "held-by-another") /* first: who locked it */                                  \
  /* Orders. first: what made it known or read it; last: the use, or the write that was late. */   \
  X(kUnsafePublication, "unsafe-publication")                                                      \
  X(kUsedBeforeInit, "used-before-init")                                                           \
  X(kReadTooEarly, "read-too-early")   /* first: the read; middle: the write before it, if any;    \
                                          last: the write that comes before it in the nearest      \
                                          execution that passes */                                 \
  X(kReadTooLate, "read-too-late")     /* first: the write; middle: the same read in the nearest   \
                                          execution that passes; last: the read. `change`: what    \
                                          its thread then wrote to `other`, for `late` to read;    \
                                          `early`: a third thread's write before `first` */        \
  X(kTryFailed, "try-lock-failed")     /* first: who held the lock; middle: the try; last: the     \
                                          read; `change`: what comes in the nearest execution      \
                                          that passes, where the lock is free */                   \
  X(kGaveUpWaiting, "gave-up-waiting") /* first: the wait that timed out; middle: the read after   \
                                          it; last: the write that comes first in the nearest      \
                                          execution that passes; a read: nobody's is known */      \
  X(kTimeOut, "time-out") /* first: the wait that timed out; middle: what came after that; last:   \
                             who read it; early: the next wait, which the waiter was in by         \
                             then; without `object`, middle took the waiter's lock */              \
  X(kMissedAtTimeOut, "missed-at-time-out") /* first: the wait that timed out; middle: the change  \
                                               before it had its lock again; last: the time-out */ \
  X(kReusedEarly, "reused-too-early") /* memory that is handed over by a pointer. first: the write \
                                         before that; early: who made the pointer known;           \
                                         late: who took it; middle: the next write; last: the      \
                                         read of that */                                           \
  X(kNotCheckedAgain, "not-checked-after-wait") /* first: the wait; middle: what came between */   \
  /* Atomicity. first and last are of the disturbed thread, middle is the other's. */              \
  X(kWrittenByReader, "written-by-reader") /* `lock` is held for reading by both. first, middle:   \
                                              the write; last: the other thread's access */        \
  X(kAba, "aba")                                                                                   \
  X(kCheckThenAct, "check-then-act") /* what was decided by is not so any more */                  \
  X(kLostUpdate, "lost-update")      /* a read and a write of one update */                        \
  X(kTwoReads, "two-reads")          /* read twice, and it differs */                              \
  X(kOverwritten, "overwritten")     /* what was just written is not there */                      \
  X(kSeenHalfWay, "seen-half-way")   /* another saw what was not finished */                       \
  X(kTornPair, "torn-pair")          /* one of two variables was seen new, one old; `last` is of   \
                                        the second variable, and so is `other` */                  \
  X(kLockReacquired, "lock-reacquired") /* a lock was released and taken again */                  \
  X(kNotLookedAgain, "lock-given-back") /* a lock was given back by a wait */                      \
  /* By executions: what passes if two steps come the other way round. middle: the one that came   \
     too early, of another thread; last: the one that comes first in an execution that passes. */  \
  X(kCameBetween, "came-between")    /* first: another passes if middle comes before this */       \
  X(kCameTooEarly, "came-too-early") /* first: is middle */                                        \
  X(kOvertaken, "overtaken")         /* first: an update of `object`; middle: the other's;         \
                                        change, last: where both then lock `lock` */               \
  /* Facts without a known cause. first: the write, if there is one; last: the read. */            \
  X(kUnordered, "unordered")                                                                       \
  X(kLastWriter, "last-writer")

enum class Cause : std::uint8_t {
#define RADDLE_CAUSE_ENUM(identifier, text) identifier,
  RADDLE_CAUSES(RADDLE_CAUSE_ENUM)
#undef RADDLE_CAUSE_ENUM
};

// "lock-order": for JSON, and for tests.
const char* cause_text(Cause cause);

// What lets threads go on by counting.
enum class CountedKind : std::uint8_t { kSemaphore, kLatch, kBarrier };

// Of three accesses to one place, the first and the last by one thread.
enum class InterferenceKind : std::uint8_t {
  kReadAgain,       // read write read
  kOverwritten,     // write write read
  kCheckThenAct,    // read write write
  kIntermediate,    // write read write
  kUnordered,       // two accesses and nothing between them; `last` is `middle`
  kLockReacquired,  // nothing but acquisitions are known
  kWaited           // of a lock that was given back by a wait; `first` is the wait
};

// What a step of an explanation does.
enum class StepAction : std::uint8_t {
  kReads,         // the object
  kWrites,        // the object
  kUpdates,       // from `read` to `written`
  kChanges,       // reads and writes, values not known
  kExchanges,     // from `read` to `written`, by a compare-and-swap
  kAboutToWrite,  // the object; it had not when the execution failed
  kUses,          // the object, by an operation that is no access
  kCalls,         // a function of the object
  kMakes,         // the object
  kDestroys,      // the object
  kFrees,         // the object
  kReturns,       // from the function whose local variable the object is
  kStarts,        // a thread
  kEnds,          // the thread
  kLocks,         // the object, a lock
  kLocksShared,   // the same, for reading
  kUnlocks,       // the object, a lock
  kGivesBack,     // the lock, by a wait
  kHasAgain,      // the lock, after a wait
  kNotifies,      // one waiter of the object, a condition
  kNotifiesAll,
  kWakes,     // from a wait on the object
  kTimesOut,  // in a wait on the object
  kWaitsOn,   // the object, a condition
  kArrives,   // at the object, a barrier
  kTakes,     // the object, a semaphore
  kPosts,
  kPasses  // the object, a latch or barrier
};

struct ExplainedStep {
  ThreadId thread{};
  std::uint64_t step = 0;
  Where where;
  std::string callee;  // the function called there that does it; empty if it is done there
  StepAction action{};
  std::string object;                   // in short; empty: the explanation's own object
  std::optional<std::int64_t> read;     // where that is a number
  std::optional<std::int64_t> written;  // where that is a number
  std::uint64_t woken = 0;              // kNotifies, kNotifiesAll
  std::string lock;                     // kWaitsOn: the one it gives back
  bool violates = false;                // here it goes wrong
};

struct ExplainedThread {
  ThreadId id{};
  std::string name;
};

// What it is about.
struct ExplainedObject {
  std::string name;              // empty if nothing names it
  std::string field;             // the name in short
  std::optional<ObjectRef> ref;  // a lock without a name, as the failure's own steps know it
};

// An access of the three that interfere; of the two, for what has two.
struct ExplainedAccess {
  ThreadId thread{};
  Where where;
  std::string function;             // that makes the access, without its class; empty if not known
  std::vector<std::string> inside;  // the program's functions that it is in, innermost first
  bool called = false;              // `where` is the call of that function
  bool reads = false;
  bool writes = false;
  std::optional<std::int64_t> read;
  std::optional<std::int64_t> written;
};

// The lock that matters, and at which of the accesses it is held.
struct ExplainedLock {
  std::string name;                  // empty: none; then `taken` may help
  std::optional<Where> taken;        // where it was acquired
  std::optional<Where> other_taken;  // lifetimes: where the one who freed took it after that
  std::optional<Where> released;     // by the disturbed thread after `first`, before `last`
  std::optional<Where> taken_again;  // by it after that
  bool first = false;
  bool middle = false;
  bool last = false;
  bool middle_shared = false;  // the other thread holds it for reading only, and writes
  bool last_shared = false;    // kUseAfterFree: so does the user
  std::string instead;  // a lock that the thread without it holds instead, at `first` or `middle`
  std::optional<Where> instead_taken;  // where, if it is held from `first` to `last`
};

// An atomic variable that threads use as a lock, or a semaphore: both threads came past it.
struct ExplainedGate {
  std::string name;
  Where taken;                    // by the disturbed thread, before `first`
  std::optional<Where> given_up;  // by it, between `first` and `last`; nothing: it has it yet
  Where other;                    // taken by the other thread, before `middle`
};

// A semaphore, latch or barrier that the failing thread went past last.
struct ExplainedPass {
  CountedKind kind{};
  std::string name;
  std::optional<std::int64_t> start;    // what it began with; of a barrier, how many it waits for
  std::optional<Where> made;            // where
  ExplainedAccess pass;                 // by the failing thread
  std::vector<ExplainedAccess> posts;   // before that: the last few
  std::size_t posted = 0;               // how many they are in all; of a barrier, in this round
  std::vector<ExplainedAccess> inside;  // others that took the semaphore and have not posted it
};

// What both threads met at behind a gate that let both in, as `other` of the explanation.
struct ExplainedInside {
  ThreadId thread{};
  ThreadId other{};
  Where first;
  Where middle;  // of the other thread
  Where last;
};

// What would have prevented this execution. Nothing that would not is suggested.
enum class Suggestion : std::uint8_t {
  kNone,
  kSameOrder,         // take these locks in one order
  kNotTwice,          // of a lock that the thread has
  kCallUnlocked,      // what may lock it, as a callback does
  kAlwaysUnlock,      // on every way out of the function that takes it
  kTakeForWriting,    // at once; or release it before
  kJoinWithoutLock,   // release it before joining
  kSetVariable,       // remember the signal
  kSignalUnderLock,   // change the variable with the waiter's lock held
  kNotify,            // after the change
  kNotifyAll,         // instead of one
  kWatchToo,          // what the signal is about, in the wait
  kCountRounds,       // for a wait to look at, instead of what is changed back
  kArrive,            // before it ends
  kHandleTimeOut,     // of a wait that ends without what was waited for
  kLookAtTimeOut,     // at what was waited for
  kAlwaysPost,        // on every way out of the function that waits for it
  kReleaseToWait,     // the lock that the wait does not give back
  kJoinAlways,        // on every way out of the function that starts it
  kWaitForLock,       // instead of trying once
  kCountArrivals,     // as many as the barrier waits for
  kPostOnce,          // of a semaphore, for each time that it is taken
  kNotifyLocked,      // before the lock is released under which the change is seen
  kLookLocked,        // under the lock that the other thread has yet to release
  kCountBeforeStart,  // of the thread that is counted
  kLiveLonger,        // of an object that its own thread uses after it
  kKeepAlive,         // until the other thread is done with it
  kKeepUndestroyed,   // the same, for what is destroyed in use
  kWaitForUser,       // before the object ends: it is no heap object
  kWriteLock,         // the one who changes it holds a lock for reading only
  kHandOver,          // let the other thread know the object when it is made
  kGuardVariable,     // a shared_ptr, at all accesses
  kPublishLast,       // write first, then make it known
  kWriteBeforeStart,  // of the thread that uses it
  kGuardPointer,      // from the read of the pointer to the end of what it points to
  kReadOnce,          // and go by that
  kReadFlagFirst,     // before what it stands for
  kUseResult,         // of the operation itself, instead of looking again
  kLockWeak,          // of a std::weak_ptr, the result of lock(), instead of looking first
  kOneOperation,      // the look and the write
  kTagPointer,        // count the changes
  kGuard,             // with a mutex
  kGuardOrAtomic,     // the same, or make it one atomic operation
  kGuardPair,         // both variables with one mutex
  kLookAgain,         // after a wait
  kLookForWriting,    // again, where the lock is held for writing
  kHoldThroughout,    // the lock, from the first access to the last
  kHoldWithOther,     // the lock, as long as the one that is held instead
  kHoldAtOther,       // the lock, at the other thread's access, as the disturbed one does
  kLockOnce,          // in one function: those that are called lock it themselves
  kHoldToWait,        // the lock, from the look at the variable to the wait
  kHoldAtBoth,        // the same, and where the variable is changed
  kHoldWhileUsed,     // the lock that the user had when it got the object
  kOwnShared,         // a std::shared_ptr of the user's own
  kJoinBeforeEnd,     // the user, before the members of what it runs a function of end
  kNotInTask,         // wait for a future
  kPutLocked,         // what is put, together with the look whether somebody takes
  kAwaitRelease,      // of a lock or condition, before it is destroyed
  kUnlockOnce,        // on each way
  kUnlockOwn,         // let the thread that locked it unlock it
  kAwaitWrite,        // before the read
  kAwaitReader,       // before the next write of what was handed over
  kUpdateLocked,      // with the lock that follows
  kKnownWhenMade,     // the object, to others: when its constructor is done
  kTagAnswer,         // with what it answers
  kKeepOut,           // the other thread, from the first step to the last
  kAwaitCalls,        // that were begun with what was taken off
  kFulfil,            // the promise, on the way on which it is not
  kComeAfter          // let the step that came too early wait for the other one
};

// Two steps that decide whether an execution fails, in the words of steps. `late` is as it is in
// the execution that passes; where this one has none, `late_here` is false.
struct ExplainedTurn {
  std::optional<ExplainedStep> begin;
  ExplainedStep early;
  ExplainedStep late;
  bool late_here = true;
  // Without `begin`: what the thread of `late` wrote over what `early` had written.
  std::optional<ExplainedAccess> over;
  // A promise that was destroyed before it had a value, and is not in the execution that passes.
  std::optional<ExplainedAccess> abandoned;
  // Who fulfils the awaited future in the execution that passes, and where; here it did not.
  std::optional<ExplainedAccess> fulfilled;
  // Where the thread of `late` calls a std::function that it had copied with `begin`; `taken_off`
  // is the change of where it had been, in between.
  std::optional<Where> called;
  std::optional<ExplainedAccess> taken_off;
};

struct Explanation {
  Cause cause = Cause::kNone;
  std::optional<InterferenceKind> pattern;  // of the three accesses
  ExplainedObject object;
  ExplainedObject other;  // kTornPair: the second variable; kUnsafePublication: what made it known;
                          // kCheckThenAct: what `last` is about, if it is not `object`;
                          // kAba, kLostSignal, kMissingNotify, kTooFewWoken: the variable that
                          // was looked at; kLockReacquired: what was changed meanwhile;
                          // kUseAfterFree, kDoubleFree: what points to the block
  std::string function;   // that the disturbed thread was in all the time; kUsedBeforeInit: the
                          // constructor that starts the reader and writes `object`, if it is one
  std::string ends_in;    // of lifetimes: the destructor of the object that the user is in
                          // `function` of
  ExplainedAccess first;
  ExplainedAccess middle;
  ExplainedAccess last;
  std::optional<ExplainedAccess> change;  // of `other`, by the other thread
  std::optional<ExplainedLock> lock;
  std::optional<ExplainedGate> gate;      // of the three accesses, where no lock is held
  std::optional<ExplainedInside> inside;  // `object` is a gate itself
  std::optional<ExplainedPass> passed;    // of causes that are about orders
  // kMadeForTooFew, kUnfulfilledFutures; kMissingArrival at a std::barrier: who ended without
  // arriving.
  std::vector<ExplainedAccess> arrivals;
  std::vector<std::string>
      lockers;  // called between `first` and `last`, and take `lock` themselves
  // kLostSignal: a variable that the one who changed `other` read too early, and the waiter's
  // change of it. kTimeOut: `late` is the waiter's own write after it gave up.
  // Lifetimes: `early` is where the user released `lock`, before the owner looked at `other` or
  // freed it; `late`, where the user took it again; `third`, a static object that ended with main.
  ExplainedObject third;
  std::optional<ExplainedAccess> early;
  std::optional<ExplainedAccess> late;
  // kLockCycle, kLockUpgrade: for each thread of the cycle the functions that it was in from its
  // first lock to the wait, innermost first.
  std::vector<std::vector<std::string>> between_locks;
  std::vector<ExplainedStep> acquisitions;  // likewise: of what each of them holds, for pictures
  std::optional<ExplainedTurn> turn;        // kCameBetween, kCameTooEarly, kLetBothIn
  std::size_t waiters = 0;                  // kTooFewWoken, kTooFewArrive: how many waited
  std::size_t needed = 0;              // kTooFewArrive, kMadeForTooFew: how many are waited for
  std::optional<CountedKind> counted;  // kMadeForTooFew, kMissingArrival
  std::optional<std::int64_t> start;   // kTooFewPosts, kWokenInVain: what it began with
  std::optional<std::int64_t> value;   // kWokenInVain, kMadeForTooFew: what it is at the end
  std::size_t posts = 0;               // kTooFewPosts, and how many of them were taken:
  std::size_t taken = 0;
  bool upgraded = false;       // `lock` is held for reading at `first', for writing at `last'
  bool ownable = false;        // kHoldWhileUsed: an owner more would keep the object as well
  bool made_locked = false;    // kUnsafePublication: who made it known held a lock
  bool common_lock = false;    // kUseAfterFree: there is a lock that both threads take
  bool no_lock = false;        // none that is known is held at any of the three
  bool locks_unknown = false;  // code without hooks called what makes an access
  std::optional<std::int64_t> found;  // what was there when the disturbed thread came back
  std::optional<Where> waited;        // where the disturbed thread let go of the lock by waiting
  std::optional<Where> started;       // where the thread that uses the object was created
  bool at_thread_end = false;         // it ended after the function of its thread had returned
  bool by_hand = false;               // kMadeForTooFew, kPermitKept: the program counts itself
  bool later_round = false;           // kMissingArrival: `first` had arrived in the round before
  bool has_sync = false;              // kUseAfterReturn: there is a lock or the like in `object`
  bool one_object = false;            // kTornPair: both are parts of one variable
  bool reads_as_one = false;          // kTornPair: `lock` is not released between the reads
  bool first_is_old = false;          // kTornPair: `first` read what was before the update
  bool locks_as_in_c = false;         // by functions of POSIX, not by the C++ library's classes
  std::vector<ExplainedStep> steps;   // in the order of execution
  std::vector<ExplainedThread> threads;
  Suggestion suggestion = Suggestion::kNone;

  bool empty() const { return cause == Cause::kNone; }
};

// `failure` is that of the same execution; for one that did not fail (a confirmed finding) its kind
// is kNone. `symbols` has that execution's maps. Empty if nothing that the events show explains it.
// `usual`: what is no cause, since executions that pass do it, too.
Explanation explain(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols,
                    const std::set<std::string>& usual = {});

// In an execution that passed: where a thread reads again what it read or wrote before, with a lock
// that it gave up in between, and finds that another changed it.
std::set<std::string> usual_rereads(const KeptTrace& passing, Symbolizer& symbols);

// The name that the failure knows the thread by; empty if it knows none.
std::string name_in(const Failure& failure, ThreadId thread);

}  // namespace raddle
