// What the strategy is told beyond the enabled threads, as far as the plan asks for it.
#pragma once

#include "target/state/object.hpp"
#include "target/state/thread.hpp"

namespace raddle {

// With g_tells_places, before the running thread announces an operation: where it is.
void tell_place(Thread& thread, OpKind op, Object* object);

}  // namespace raddle
