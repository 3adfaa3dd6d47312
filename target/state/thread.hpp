// A controlled thread of the program.
#pragma once

#include <poll.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "protocol/pending.hpp"
#include "protocol/report.hpp"
#include "target/state/object.hpp"

namespace raddle {

struct Thread;

// Can the pending operation be executed now? Called by the scheduler whenever the object changed.
using Ready = bool (*)(Thread&);
// The one of an operation that can always be executed.
bool always(Thread& thread);

inline constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

// An access to shared memory that changed nothing.
struct Look {
  std::uint64_t site;
  Object* object;
  std::int64_t version;
  std::uint64_t value;
  std::uint16_t times;
};
inline constexpr std::uint32_t kMostLooks = 16;

struct Thread {
  Pending pending;  // strategies see this

  // Scheduling. A thread is in the enabled set, or blocked, or finished; or it is new and not
  // begun.
  std::int32_t enabled_index;  // -1: not enabled
  bool begun;
  bool finished;

  // Waiting (see wait() in scheduler.hpp).
  Object* waits_for;  // and, unless it is the one that runs, in its list of waiters
  Thread* wait_next;
  Thread* wait_prev;
  Ready ready;
  std::int64_t wait_data;  // for `ready`
  std::int64_t wait_data2;
  std::uint64_t deadline;       // virtual time, kNoDeadline
  std::int32_t deadline_index;  // in the clock's heap, -1
  bool signalled;               // condition variable or futex: somebody woke us
  bool timed_out;
  bool cancellable;
  bool polled;    // readiness comes from the kernel: descriptor, signal, child
  bool external;  // and somebody outside the process can bring it about

  // What else every decision and every switch looks at: side by side.
  std::uint32_t looks;       // see looked_at
  Object* wrote_to;          // null: nothing
  std::uint64_t signals;     // sent to this thread alone (bit n-1: signal n),
  std::uint64_t mask;        // and its mask as the program set it
  void* thread_pointer;      // its TLS
  void* context;             // fiber: saved stack pointer
  std::uintptr_t parked_at;  // a frame of the runtime, at its last decision point; 0: none yet
  Stack* capture;            // when resumed with this set: write the stack there and switch back

  // More of a wait.
  pollfd* fds;  // of polled ones
  std::uint32_t fd_count;
  Thread* polled_next;
  Thread* polled_prev;

  // Life.
  Object self;  // class thread; joiners wait on it
  pthread_t handle;
  void* (*start)(void*);
  void* argument;
  void* result;
  bool detached;
  Thread* joiner;
  Thread* creator;
  void* once_attempts;  // initialisers under way, see intercept/sync/once.cpp
  bool holds_robust;    // it has locked a robust mutex at some time
  char name[16];

  // Accesses that were decision points, since it last changed anything, and one whose effect is not
  // known yet: to notice that it waits by trying again and again (waiting/waiting.hpp).
  Look* looked_at;  // kMostLooks of them; null: none yet
  std::uint16_t wrote_bytes;
  std::uint64_t wrote_over;  // what it found there

  // Whether it goes round in a loop: waiting/rounds.cpp.
  std::uint64_t idled_in;      // the idleness in which it was last idle
  std::uint64_t watched_in;    // the window in which the rest was set
  std::uint64_t round_state;   // registers and stack at one of its idle operations,
  std::uint64_t round_visits;  // of so many,
  std::uint64_t rounds;        // and how often it came back to that state
  std::uintptr_t interrupted;  // stack pointer where a sample interrupted it; 0: none did

  // Where it is, as far as the plan wants to know: calling context (instrumented/scopes.cpp), and
  // at which locks it was in which invocations (unwind/atomic_blocks.cpp).
  void* scopes;
  std::uint64_t scope_context;
  void* acquisitions;

  // Cancellation.
  bool cancel_requested;
  bool cancel_disabled;
  bool cancel_async;
  bool exiting;  // unwinding already: no further cancellation

  // Handlers run so far: calls that end with EINTR whatever SA_RESTART says ask this.
  std::uint32_t handlers_run;

  // Carrier.
  void* stack_memory;  // fiber: mapping to release, null if the program gave the stack
  std::size_t stack_memory_size;
  std::uintptr_t stack_low;  // usable stack
  std::size_t stack_size;
  std::size_t guard_size;
  std::uint32_t go;         // kernel: futex
  std::uint32_t arrived;    // kernel: futex; at its entry
  std::int32_t kernel_tid;  // kernel
  void* crash_stack;        // kernel: see carrier/crash_stack.hpp

  // Reporting.
  Thread* capture_for;
  std::uint64_t captured_from;  // what capture_stack() said to capture_other()
  bool functions_told;          // to the host (stream/stack_names.hpp)
  std::uint16_t site_frames;    // with Plan::detail: stack at the pending operation
  std::uint64_t* site_pc;       // kMaxStepFrames of them; null: none yet
};

// Pending is the first member of its Thread.
static_assert(offsetof(Thread, pending) == 0);
inline Thread& thread_of(const Pending* pending) {
  return *reinterpret_cast<Thread*>(const_cast<Pending*>(pending));
}

}  // namespace raddle
