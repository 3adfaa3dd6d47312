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
  (t.wait_prev != nullptr ? t.wait_prev->wait_next : object.waiters_head) = t.wait_next;
  (t.wait_next != nullptr ? t.wait_next->wait_prev : object.waiters_tail) = t.wait_prev;
  t.waits_for = nullptr;
}

}  // namespace raddle
