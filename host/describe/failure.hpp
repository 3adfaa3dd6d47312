// What a failing execution means, as data: describe() makes it of an execution, and host/report/
// puts it into words. No addresses that a symbol could replace; texts are names, and what the
// program itself said, fit for a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/describe/object_ref.hpp"
#include "host/process/execution.hpp"
#include "host/symbols/frame.hpp"

namespace raddle {

class Symbolizer;

// One step: an operation on an object. For OpKind::value_choice the object's id is the number of
// values there were, and the outcome the value.
struct StepLine {
  std::uint64_t step = 0;
  OpKind op = OpKind::none;  // may be outside the enumeration, as may the outcome
  std::uint8_t outcome = 0;  // StepOutcome
  ObjectRef object;
  Where where;  // innermost frame of the program

  bool operator==(const StepLine&) const = default;
};

// What a thread was doing at the end.
struct Doing {
  enum class Kind : std::uint8_t {
    kNeverBegan,
    kHadNotBegun,  // it was created, and could have begun
    kRunning,
    kCouldGoOn,
    kAboutTo,  // execute `op` on `object`
    kBlocked,  // before `op` on `object`
    kEnded,
    kUnknown
  };
  Kind kind = Kind::kRunning;
  OpKind op = OpKind::none;
  ObjectRef object;
  // kBlocked:
  std::vector<ThreadId> holders;      // of the object
  std::optional<std::int64_t> value;  // of a semaphore; arrivals at a barrier
  std::int64_t needed = 0;            // arrivals that the barrier waits for; 0: not known
  std::string event;                  // of a monitor: "property OneFork: event acquire"
  bool timed = false;                 // with a deadline

  bool operator==(const Doing&) const = default;
};

struct ThreadLine {
  ThreadId id{};
  std::string name;  // pthread_setname_np, else the start routine's function, "main" for 0
  Doing doing;
  std::uint64_t address = 0;  // of doing.object in this execution; 0: not known
  bool blocked = false;       // it waits
  bool ended = false;         // gone by now, shown for its last steps
  std::vector<Frame> stack;
  std::vector<StepLine> last_steps;  // oldest first
};

// A thread that waits, and what it holds that others of the same cycle wait for.
struct WaitingThread {
  ThreadId thread{};
  Doing doing;
  Where where;
  std::vector<ObjectRef> holds;

  bool operator==(const WaitingThread&) const = default;
};

// Use of an object that POSIX forbids; what the runtime noticed.
struct MisuseLine {
  ThreadId thread{};
  OpKind op = OpKind::none;
  ObjectRef object;
  std::string text;  // what is wrong with it, in the runtime's words
  Where where;
  std::uint64_t more = 0;  // not 0: so many more that the report had no room for, and no other fact
  std::uint64_t address = 0;  // of the object, in this execution
  std::uint64_t step = 0;     // of this execution

  // The same in another execution.
  bool operator==(const MisuseLine& other) const {
    return thread == other.thread && op == other.op && object == other.object &&
           text == other.text && where == other.where && more == other.more;
  }
};

// Where a replay differs from its recording.
struct Divergence {
  ThreadId recorded_thread{};
  StepLine recorded;  // OpKind::none: the recording ends
  ThreadId actual_thread{};
  StepLine actual;

  bool operator==(const Divergence&) const = default;
};

// An access to memory that is no block's any more, or never was; or a block that is freed twice.
struct MemoryFaultLine {
  MemoryFaultKind kind = MemoryFaultKind::kNone;  // may be outside the enumeration
  bool writes = false;
  std::uint64_t bytes = 0;  // of the access
  std::int64_t offset = 0;  // from the beginning of the block
  std::uint64_t block = 0;  // its bytes
  Where allocated;
  Where freed;
  ThreadId freed_by{};

  bool operator==(const MemoryFaultLine&) const = default;
};

// An address in the first page: that of a null pointer, or of a member of what it points to.
inline bool is_by_null(std::uint64_t address) { return address < 4096; }

// How it failed: what the one sentence about it says. A fact stands here only where the sentence
// needs it, so that equal verdicts read alike.
struct Verdict {
  OutcomeKind kind = OutcomeKind::kNone;
  std::string message;        // the condition, what(), or the runtime's own reason
  bool is_condition = false;  // kAssertion: `message` is a condition; else abort() was called
  int signal = 0;             // kCrash
  std::optional<std::uint64_t> fault_address;  // kCrash
  bool deep_recursion = false;                 // kCrash: probably the stack is full
  std::string exception_type;                  // kException
  int exit_status = 0;                         // kExit
  bool from_main = false;                      // kExit: by returning
  bool must_return = false;                    // kExit: exit() was called by a function under test
  std::optional<ThreadId> leaked;              // kLeaked: the thread that still ran
  std::uint64_t steps = 0;                     // kLimit without a message
  // kDeadlock: the threads that wait for each other, in the order of the cycle; if there are none,
  // those that wait for something that nobody will do.
  std::vector<WaitingThread> cycle;
  // kPossibleHang: `waiting` are those that wait without a time-out.
  std::vector<WaitingThread> waiting;
  std::vector<ThreadId> ticking;         // kPossibleHang: those that still move, by sleeping
  std::optional<Divergence> divergence;  // kDiverged
  std::optional<MemoryFaultLine> fault;  // kMemoryFault

  bool operator==(const Verdict&) const = default;
};

struct Failure {
  OutcomeKind kind = OutcomeKind::kNone;
  std::optional<Verdict> verdict;  // always, from describe()
  Where where;                     // the place by which failures are grouped
  ThreadId thread{};
  std::vector<ThreadLine> threads;  // the failing one first, those that ended last
  std::vector<MisuseLine> misuses;
  // kPossibleHang: the last step of a thread that waits. It differs from execution to execution, so
  // it is no part of the verdict.
  std::optional<std::uint64_t> waits_since;
  // A memory fault at a local variable that is gone: where it was. As above.
  std::optional<std::uint64_t> gone_local;
  std::string group;  // same group = same finding: failure_key()
};

Failure describe(const Execution& execution, Symbolizer& symbols);

}  // namespace raddle
