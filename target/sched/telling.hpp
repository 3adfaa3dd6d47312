// What the strategy is told beyond the enabled threads, as far as the plan asks for it.
#pragma once

#include "target/state/object.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// With Attention::places, before the running thread announces an operation: where it is.
void tell_place(Thread& thread, OpKind op, Object* object);

// A semaphore was waited for or posted by the running thread, and counts `value` now. As long as it
// is used as a lock, the strategy hears of it as of one: it never counts more than 1, and is posted
// by the thread that waited for it last.
void tell_semaphore(Object& semaphore, bool waited, int value);
// Whether it still is.
bool is_lock_so_far(const Object& semaphore);

}  // namespace raddle
