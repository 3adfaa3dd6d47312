// Who waits where in a process that nobody controls, for monitors that are linked into the program
// (prevent/): a thread in pthread_cond_wait or sem_wait is blocked, and known to be without a look
// at the kernel. Called on the program's threads, by interceptors that hand their call on.
//
// A wait is known only until somebody may have ended it: a wake-up of its object makes it unknown,
// since it may have reached this thread or another. Costs a load while no monitor listens.
#pragma once

#include "target/base/base.hpp"

namespace raddle {

struct NativeWaiter;

// From before the call to after it.
class NativeWait {
 public:
  // Null: an object of several processes, whose wake-ups are not all seen.
  explicit NativeWait(const void* object);
  ~NativeWait();
  NativeWait(const NativeWait&) = delete;
  NativeWait& operator=(const NativeWait&) = delete;

  // Monitors listen to this wait.
  bool listened() const { return waiter_ != nullptr; }
  // The call will wait: what it waits for was not there after the constructor.
  void waits();

 private:
  NativeWaiter* waiter_ = nullptr;
};

// Around a call that may wake threads that wait for the object.
class NativeWake {
 public:
  explicit NativeWake(const void* object);
  ~NativeWake();
  NativeWake(const NativeWake&) = delete;
  NativeWake& operator=(const NativeWake&) = delete;

 private:
  const void* object_;
};

// Monitors listen from now on, or no more.
void listen_to_native_waits(bool begin);
// The thread, which is not waiting now, begins with a clean slate: another one with the same
// pointer may have been cancelled in a wait.
void forget_native_wait(const void* thread);
// True: the thread waits. False: nobody knows.
bool waits_natively(const void* thread);

}  // namespace raddle
