// What an execution owes to the recording that it repeats.
#pragma once

#include "target/strategy/replay.hpp"

namespace raddle {

extern Replay* g_replay;  // null: none is repeated

// Ends the execution if it is another one.
void check_divergence();
// A strict replay has chosen a step that its recording does not have any more.
bool beyond_recording();
// Where the outside world decided: waits until the recorded thread can move as recorded, even if
// others can already; and a look that saw nothing then sees nothing now. Not for ever: what does
// not come is a divergence.
void await_recorded();

}  // namespace raddle
