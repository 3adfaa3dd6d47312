// What an execution met that no schedule brings about and a real machine may: written by the target
// into the shared region, read by the host when the execution has ended. A plan allows them
// (Plan::clock, spurious_wakeups, short_transfers, failing_allocations); here is what came of it.
#pragma once

#include <cstdint>

namespace raddle {

struct Circumstances {
  // Sleeps and waits that were over before their time, although another thread could have gone on,
  // or had less time to wait. With a steady clock that never happens.
  std::uint32_t early_timeouts;
  // The time that was left of these, all together, in nanoseconds. Somebody was ready and did not
  // run for so long; a loop of a thousand waits of 10 ms is as rare as one wait of 10 s.
  std::uint64_t early_time;
  // Waits for a condition that returned without a signal.
  std::uint32_t spurious_wakeups;
  // Reads from and writes to stream sockets that moved less than they could.
  std::uint32_t short_transfers;
  std::uint32_t failed_allocations;

  bool none() const {
    return early_timeouts == 0 && spurious_wakeups == 0 && short_transfers == 0 &&
           failed_allocations == 0;
  }
};

}  // namespace raddle
