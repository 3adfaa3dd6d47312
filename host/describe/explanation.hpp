// Why an execution went wrong, as data: the cause, the few steps that matter, what was read and
// written, which locks were held, and what would have helped. Made from an execution's events;
// host/report/words/explanation_words says it. Names are fit for a terminal and for JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/describe/interference.hpp"
#include "host/symbols/symbolizer.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

enum class Cause : std::uint8_t {
  kNone,            // nothing that happened explains it
  kLockCycle,       // threads hold what the next one waits for
  kLostSignal,      // a condition was signalled before the thread waited
  kUseAfterFree,    // `last` used what `first` had freed
  kDestroyedInUse,  // the object is destroyed while another thread calls it
  kUsedWhileMade,   // it is called while it is made
  kCheckThenAct,    // what was decided by is not so any more
  kLostUpdate,      // a read and a write of one update, another's write between them
  kTwoReads,        // read twice, and it differs
  kOverwritten,     // what was just written is not there
  kSeenHalfWay,     // another saw what was not finished
  kUnordered,       // two accesses and nothing between them
  kLockReacquired,  // a lock was released and taken again
  kNotLookedAgain   // a lock was given back by a wait
};

// What a step of an explanation does.
enum class StepAction : std::uint8_t {
  kReads,      // the object
  kWrites,     // the object
  kUpdates,    // from `read` to `written`
  kChanges,    // reads and writes, values not known
  kCalls,      // a function of the object
  kMakes,      // the object
  kDestroys,   // the object
  kFrees,      // the object
  kLocks,      // the object, a lock
  kGivesBack,  // the lock, by a wait
  kHasAgain,   // the lock, after a wait
  kNotifies,   // one waiter of the object, a condition
  kNotifiesAll,
  kWaitsOn  // the object, a condition
};

struct ExplainedStep {
  ThreadId thread{};
  std::uint64_t step = 0;
  Where where;
  std::string callee;  // the function called there that does it; empty if it is done there
  StepAction action{};
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
  std::string function;  // that makes the access, without its class; empty if not known
  bool reads = false;
  bool writes = false;
  std::optional<std::int64_t> read;
  std::optional<std::int64_t> written;
};

// The lock that matters, and at which of the accesses it is held.
struct ExplainedLock {
  std::string name;            // empty: none; then `taken` may help
  std::optional<Where> taken;  // where it was acquired
  bool first = false;
  bool middle = false;
  bool last = false;
};

// What would have helped.
enum class Suggestion : std::uint8_t {
  kNone,
  kSameOrder,        // take these locks in one order
  kSetVariable,      // remember the signal
  kLiveLonger,       // of an object that its own thread uses after it
  kKeepAlive,        // until the other thread is done with it
  kKeepUndestroyed,  // the same, for what is destroyed in use
  kHandOver,         // let the other thread know the object when it is made
  kGuardBoth,        // of two accesses that nothing orders
  kGuard,            // with a mutex
  kGuardOrAtomic,    // the same, or make it one atomic operation
  kLookAgain,        // after a wait
  kHoldThroughout    // the lock, from the first access to the last
};

struct Explanation {
  Cause cause = Cause::kNone;
  std::optional<InterferenceKind> pattern;  // of the three accesses
  ExplainedObject object;
  std::string function;  // that the disturbed thread was in all the time
  ExplainedAccess first;
  ExplainedAccess middle;
  ExplainedAccess last;
  std::optional<ExplainedLock> lock;
  std::optional<Where> waited;       // where the disturbed thread let go of the lock by waiting
  std::vector<ExplainedStep> steps;  // in the order of execution
  std::vector<ExplainedThread> threads;
  Suggestion suggestion = Suggestion::kNone;

  bool empty() const { return cause == Cause::kNone; }
};

// `failure` is that of the same execution; for one that did not fail (a confirmed finding) its kind
// is kNone. `symbols` has that execution's maps. Empty if nothing that the events show explains it.
Explanation explain(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols);

// The name that the failure knows the thread by; empty if it knows none.
std::string name_in(const Failure& failure, ThreadId thread);

}  // namespace raddle
