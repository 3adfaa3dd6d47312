// Waiting without sleeping, for what is probably on the way: to sleep and to be woken takes tens of
// microseconds. Called on any thread.
//
// Whoever spins gives the processor away in every turn, because the awaited thread may be queued
// for the same one. On a crowded machine that thread is not alone in the queue, and a turn takes as
// long as the others want to run: milliseconds. A thread that sleeps and is woken does not queue
// behind them. So after a turn that took long, nobody spins for a while.
#pragma once

namespace raddle::monitor {

// Gives the processor away for a turn. False: it did not, because to sleep is better now.
bool spin_turn();

}  // namespace raddle::monitor
