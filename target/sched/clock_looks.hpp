// Looks of the program at a clock.
#pragma once

namespace raddle {

// The running thread looks at a clock: time moves on a little. True: it has done nothing else for a
// while, and gives way, so that a loop that waits for a time does not keep the others from moving:
// decide(OpKind::yield) is what the caller does next. Inside the runtime.
bool look_at_time();

}  // namespace raddle
