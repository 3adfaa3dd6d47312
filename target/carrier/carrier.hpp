// What carries a program thread: a fiber on the main kernel thread, or a kernel thread of its own.
// The scheduler decides; a carrier only makes threads and moves the token.
#pragma once

#include <pthread.h>

#include "protocol/plan.hpp"

namespace raddle {

struct Thread;

class Carrier {
 public:
  // Prepares the main thread, on it.
  virtual void adopt_main(Thread& main) = 0;

  // Makes a thread that will run thread_main(thread) when first switched to, with the stack and
  // guard that `attributes` ask for. Returns 0 or an errno; fills in handle and thread_pointer.
  virtual int create(Thread& thread, const pthread_attr_t* attributes) = 0;

  // Called on `from`, which holds the token: `to` runs; returns when somebody switches back.
  virtual void switch_to(Thread& from, Thread& to) = 0;

  // The same for a thread that has ended. A fiber never returns from it; a kernel thread returns
  // and must end at once (`to` starts only when it has).
  virtual void leave_to(Thread& from, Thread& to) = 0;

  // The thread has ended and nobody needs its result any more: release what it had.
  virtual void release(Thread& thread) = 0;

 protected:
  ~Carrier() = default;
};

Carrier& fiber_carrier();
Carrier& kernel_carrier();

// The carrier of this execution, chosen once, before its first thread.
void use_carrier(CarrierKind kind);
Carrier& carrier();

// Body of every controlled thread but main. Carriers call it and intercept/threads/thread.cpp,
// which stands above them, defines it. Never returns for a fiber; for a kernel thread it returns
// when its kernel thread may really end.
void thread_main(Thread& thread);

}  // namespace raddle
