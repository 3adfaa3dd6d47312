// The threads that wait for an object: a list through them, oldest first.
#pragma once

#include "target/state/object.hpp"
#include "target/state/thread.hpp"

namespace raddle {

inline void enter_waiters(Thread& t, Object& object) {
  t.waits_for = &object;
  t.wait_next = nullptr;
  t.wait_prev = object.waiters_tail;
  (object.waiters_tail != nullptr ? object.waiters_tail->wait_next : object.waiters_head) = &t;
  object.waiters_tail = &t;
}

inline void leave_waiters(Thread& t) {
  Object& object = *t.waits_for;
  Thread* const prev = t.wait_prev;
  Thread* const next = t.wait_next;
  (prev != nullptr ? prev->wait_next : object.waiters_head) = next;
  (next != nullptr ? next->wait_prev : object.waiters_tail) = prev;
  t.waits_for = nullptr;
}

}  // namespace raddle
