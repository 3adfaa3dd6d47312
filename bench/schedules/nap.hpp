// For the twins: tests that get their order of events from sleeps.
#pragma once

namespace twins {

// Sleeps for so many times the shortest sleep with which the running test fails less than once in
// 1,000 runs.
void nap(int times);

}  // namespace twins
