// Policy: which enabled thread goes next. A strategy sees a read-only view and returns a choice; it
// never parks, wakes or runs anything, so it can be tested without a scheduler.
//
// The scheduler calls, always from the one thread that runs:
//   choose()        at every decision point, also when only one thread is enabled;
//   choose_value()  when the program leaves something else open: which waiter a signal wakes,
//   whether
//                   a wait returns spuriously;
//   brief()         once, before everything else: the places that the plan names, and where to
//                   write what came of them;
//   on_create()     when a thread comes into being, before it is first enabled;
//   on_place()      before a thread announces its next operation, if the plan asks where it is;
//   on_lock()       when a thread got hold of a lock, or gave it up: the outermost of a recursive
//                   lock only, the release and reacquisition of a condition wait too;
//   on_block()      when a thread enters or leaves an atomic block of those that the plan asks for
//                   and only an instrumented program shows: annotated ones and functions;
//   on_followed()   when somebody else (a replayed prefix) chose.
// Everything a strategy returns depends on the plan and on these calls alone: that is what makes
// the same plan the same execution. No clocks, no addresses, no allocation through malloc.
#pragma once

#include <cstdint>
#include <span>

#include "protocol/aim.hpp"
#include "protocol/choice_log.hpp"
#include "protocol/ids.hpp"
#include "protocol/ops.hpp"
#include "protocol/pending.hpp"
#include "protocol/plan.hpp"

namespace raddle {

struct View {
  std::span<const Pending* const> enabled;  // never empty; order is arbitrary but deterministic
  ThreadId current;                         // who ran last; it may be blocked or gone
  std::uint64_t step;
};

// Where a thread is at its pending operation, as far as the plan asks.
struct Place {
  // Hash of the functions that it is in and where each was called (protocol/aim.hpp); 0 unless
  // the program is instrumented and the plan names a candidate.
  std::uint64_t context = 0;
  // An acquisition, with kBlocksFrames: the thread took this lock before, in an invocation that is
  // still under way of a function of the program which is not the thread's outermost.
  bool again = false;
};

class Strategy {
 public:
  // Index into view.enabled; or its size: nobody, the execution is redundant and ends.
  virtual std::size_t choose(const View& view) = 0;

  // A number below `count` (count >= 2) on behalf of `thread`.
  virtual std::uint32_t choose_value(ThreadId thread, std::uint32_t count) = 0;

  virtual void brief(std::span<const AimSite> /*aims*/, Realised& /*realised*/) {}
  virtual void on_create(ThreadId) {}
  virtual void on_place(ThreadId, const Place&) {}
  virtual void on_lock(ThreadId, ObjectId, bool /*taken*/) { hears_of_locks_ = false; }
  virtual void on_block(ThreadId, bool /*entered*/) {}
  virtual void on_followed(const View&, std::size_t) {}

  // False once on_lock() was called in vain: then it need not be called again.
  bool hears_of_locks() const { return hears_of_locks_; }

 protected:
  ~Strategy() = default;  // strategies live in the runtime's arena and are never destroyed

 private:
  bool hears_of_locks_ = true;
};

}  // namespace raddle
