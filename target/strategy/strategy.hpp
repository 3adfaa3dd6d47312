// Policy: which enabled thread goes next. A strategy sees a read-only view and returns a choice. It
// never parks, wakes or runs a thread, so tests can call it without a scheduler.
//
// The scheduler makes all calls, always from the one thread that runs:
//   brief()         once, before all other calls: the places that the plan names, and where the
//                   strategy writes what came of them;
//   choose()        at every decision point, also when only one thread is enabled;
//   choose_value()  when a choice is not about a thread: which waiter a signal wakes, whether a
//                   wait returns spuriously;
//   on_create()     when a thread comes into being, before it is first enabled;
//   on_place()      before a thread announces its next operation, if the plan asks for places;
//   on_lock()       when a thread has taken or released a lock. A recursive lock counts at its
//                   outermost level only. A condition wait releases and takes its mutex;
//   on_block()      when a thread enters or leaves an atomic block that only an instrumented
//                   program shows (an annotated scope or a function), if the plan asks for it;
//   on_followed()   instead of choose(), when a replayed prefix made the choice;
//   go_on_for()     when the execution goes on for another plan, with a longer prefix: all choices
//                   so far are to have been made by that.
// What a strategy returns depends on the plan and on these calls alone: no clocks, no addresses, no
// malloc. That is why the same plan gives the same execution.
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
  std::span<const Pending* const> enabled;  // never empty; the order is arbitrary but deterministic
  ThreadId current;                         // the thread that ran last; it may be blocked or gone
  std::uint64_t step;
};

// The place of a thread's pending operation, as far as the plan asks for it.
struct Place {
  // Hash of the functions that the thread is in and of the calls that led there (protocol/aim.hpp).
  // 0 unless the program is instrumented and the plan names a candidate.
  std::uint64_t context = 0;
  // For an acquisition, with kBlocksFrames: the thread took this lock before, in an invocation of a
  // function of the program that has not returned yet. The thread's outermost function does not
  // count.
  bool again = false;
};

class Random;

class Strategy {
 public:
  // Returns an index into view.enabled. Returning its size means that no thread is to run: the
  // execution is redundant. Where it cannot end there, choose() is asked again, and must choose.
  virtual std::size_t choose(const View& view) = 0;

  // Returns a number below `count` (count >= 2). `thread` is the running thread.
  virtual std::uint32_t choose_value(ThreadId thread, std::uint32_t count) = 0;

  virtual void brief(std::span<const AimSite> /*aims*/, Realised& /*realised*/) {}
  virtual void on_create(ThreadId) {}
  virtual void on_place(ThreadId, const Place&) {}
  virtual void on_lock(ThreadId, ObjectId, bool /*taken*/) { hears_of_locks_ = false; }
  virtual void on_block(ThreadId, bool /*entered*/) {}
  virtual void on_followed(const View&, std::size_t) {}
  // Strategies of exploration alone are asked.
  virtual void go_on_for(const Plan&) {}

  // The common strategy says what it is: the scheduler then asks it without a virtual call.
  virtual Random* as_random() { return nullptr; }

  // Becomes false when the empty on_lock() above runs: the strategy does not override it, so the
  // scheduler may stop calling it.
  bool hears_of_locks() const { return hears_of_locks_; }

 protected:
  ~Strategy() = default;  // strategies live in the runtime's arena, which never destroys them

 private:
  bool hears_of_locks_ = true;
};

}  // namespace raddle
