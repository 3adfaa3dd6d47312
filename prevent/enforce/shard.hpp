// A part of a property's monitors with the lock that makes an event one step: those of some objects
// if the property has one parameter, all of them otherwise.
//
// As long as no thread waits, an event needs this lock alone. A thread that may have to wait counts
// itself in `slow`; from then on every event of the shard goes through the gate, whose lock is
// outside of this one: there asking and stepping are two calls, and nothing may come in between.
#pragma once

#include <atomic>

#include "prevent/enforce/parametric.hpp"
#include "prevent/logics/runtime/lock.hpp"
#include "raddle/enforce.hpp"

namespace raddle::enforce {

// An event on its way.
struct Arrival {
  EventId event;
  const void* const* objects;
  void* context;
  const char* location;
  bool skip = false;
};

class Shard {
 public:
  Shard(const Specification& specification, const logics::Property& logic, const Domains& domains);

  logics::Lock& lock() { return lock_; }
  Monitors& monitors() { return monitors_; }

  // With the lock held:
  // No monitor would leave where it has to stay.
  bool may(const Arrival& arrival);
  // The thread that has to be blocked first; null: none.
  const char* blocked(const Arrival& arrival);
  // The event happens: bodies, steps, handlers.
  void commit(Arrival& arrival);
  // Both: if it may, it happens. Says whether it did.
  bool commit_if_it_may(Arrival& arrival);

  // Threads at the gate with events of this shard; changes only with the lock held.
  unsigned slow = 0;

 private:
  bool counts(const EventInfo& info, const void* variables, void* context) const {
    return info.when == nullptr || info.when(variables, context);
  }
  template <class Code>
  void guarded(const Arrival& arrival, const Code& code);
  void step(Monitor& monitor, Arrival& arrival);
  void handle(Monitor& monitor, Arrival& arrival, unsigned category);

  const Specification& specification_;
  const logics::Property& logic_;
  logics::Lock lock_;
  Monitors monitors_;
};

// Prints the report for the property, and ends the program.
[[noreturn]] void end_program(const Specification& specification, const char* report);

}  // namespace raddle::enforce
