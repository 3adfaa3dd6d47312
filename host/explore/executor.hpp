// What explorers ask of an executor, and what they get: one execution that begins with given
// choices and goes on without preemption. Two executors stand behind this: a process (campaign/, a
// fork server) and a function of the same process (raddle::check).
//
// The runtime does the same for both: the strategy "systematic" behind a checked prefix
// (Plan::replay_steps records, Plan::prefix_checked), Plan::asleep, Plan::looks_on and
// Plan::enabled_log.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "host/base/result.hpp"
#include "protocol/choice_log.hpp"
#include "protocol/enabled_stack.hpp"
#include "protocol/pending.hpp"
#include "protocol/report.hpp"
#include "protocol/value_log.hpp"

namespace raddle {

// A set of threads by number. Only the first 64 can be in it: a thread beyond that never sleeps,
// which costs executions and loses none.
using ThreadSet = std::uint64_t;

constexpr ThreadSet set_of(ThreadId thread) {
  return raw(thread) < 64 ? ThreadSet{1} << raw(thread) : 0;
}
constexpr bool contains(ThreadSet set, ThreadId thread) { return (set & set_of(thread)) != 0; }

struct ExecutionRequest {
  // Choices to follow, value choices included. Each is compared with what the thread is about to
  // do; a difference ends the execution as kDiverged.
  std::span<const StepRecord> prefix;
  // Threads that are not to be chosen after the prefix until somebody executes an operation that
  // depends on theirs (dependent() in protocol/dependence.hpp). When every enabled thread
  // is asleep, the execution ends as redundant.
  ThreadSet asleep = 0;
  // The thread of the prefix's last record goes on while it only looks again, to see whether it
  // gives up (protocol/turns/looking_on.hpp). If it does not, the execution ends as redundant.
  bool looks_on = false;
  // Of the prefix only the threads and the value choices count, and nothing is compared: whoever
  // asks for this compares the log himself. For prefixes that no execution has shown yet.
  bool loose = false;
};

// One execution, as an explorer sees it. The memory belongs to the executor and is valid until its
// next execution: nothing is allocated or copied in the steady state.
struct Explored {
  // One record per step; value choices stand between the steps that asked for them.
  std::span<const StepRecord> log;

  // The threads that could move, step after step, each with its pending operation: those of step
  // i are pending[first[i]] up to, not including, pending[first[i + 1]]. A value choice has none.
  // One more group, for the end (i = log.size()): every thread that had not ended; the first
  // `enabled_at_end` of them could move, the others were blocked.
  std::span<const Pending> pending;
  std::span<const std::uint32_t> first;  // log.size() + 2 of them
  std::uint32_t enabled_at_end = 0;

  // Where the threads of `pending` were, if the executor was asked for that: indices into `stacks`,
  // or kNoStack.
  std::span<const std::uint32_t> stack_of;
  std::span<const EnabledStack> stacks;

  // Of each step what it found, if the executor was asked for that. Otherwise empty.
  std::span<const StepValue> values;
  std::span<const std::uint8_t> bytes;
  // kHeap... of protocol/value_log.hpp: whether blocks lie where they lie in other executions.
  std::uint64_t heap = 0;

  // By number of an object, if such numbers depend on the schedule: what does not. For a thread its
  // ThreadId, for anything else its class and address. Empty: the numbers themselves will do.
  std::span<const std::uint64_t> objects;

  // Of each of `pending`, 1: it has to do with a change (host/explore/changes/capp.hpp). Empty:
  // nobody looked.
  std::span<const std::uint8_t> marks;

  // Which execution this is, and which one it goes on from the middle of: the first `unchanged`
  // steps and who could move at them are that one's. 0: nobody says. Numbers are never used again.
  std::uint64_t number = 0;
  std::uint64_t after = 0;
  std::uint32_t unchanged = 0;

  // Threads that were made with clone(): nobody controls them, or sees what they do.
  std::uint64_t uncontrolled = 0;

  OutcomeKind outcome = OutcomeKind::kNone;
  bool failing = false;    // is_failing(outcome)
  bool redundant = false;  // every enabled thread was asleep: nothing was found here
  // failing: kind and place, the same for the same failure. Empty where the executor leaves that to
  // whoever owns it.
  std::string_view group;

  // kDiverged: the first step that differs, what the prefix says and what came. `actual.thread` is
  // kNoThread when the thread of the prefix could not move.
  std::uint64_t diverged_step = 0;
  StepRecord recorded{};
  StepRecord actual{};

  std::span<const Pending> enabled(std::size_t step) const {
    return pending.subspan(first[step], first[step + 1] - first[step]);
  }
  // Steps that need not be compared with those of the execution with this number, which had so
  // many.
  std::uint32_t known_from(std::uint64_t other, std::size_t steps) const {
    if (after == 0 || after != other) return 0;
    return static_cast<std::uint32_t>(std::min<std::size_t>({unchanged, steps, log.size()}));
  }
  // At the end, blocked threads included.
  std::span<const Pending> at_end() const { return enabled(log.size()); }
};

class Executor {
 public:
  virtual ~Executor() = default;

  // One execution, on the calling thread; an executor is used by one thread at a time. Null: none
  // could be started, and error() says why.
  virtual const Explored* execute(const ExecutionRequest& request) = 0;
  virtual std::string_view error() const = 0;
};

}  // namespace raddle
