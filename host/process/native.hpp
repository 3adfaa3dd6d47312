// The program once without Raddle: does it pass, and does it end? Asked before a hunt.
#pragma once

#include <atomic>
#include <string>

#include "host/base/result.hpp"
#include "host/process/launch.hpp"
#include "host/process/watch.hpp"

namespace raddle {

struct NativeRun {
  enum class End { kPassed, kFailed, kNoEnd, kInterrupted } end = End::kPassed;
  int wait_status = 0;  // kFailed
  double seconds = 0;
};

struct NativeOptions {
  int input = -1;            // standard input; -1: /dev/null
  int output = -1;           // standard output and errors; -1: nowhere
  Clock::duration limit{};   // then it is killed: kNoEnd
  std::vector<int> ok_exit;  // statuses that count as passed, besides 0
  const std::atomic<bool>* stop = nullptr;
};

// Whatever it leaves behind in its process group is killed.
Result<NativeRun> run_natively(const Command& command, const NativeOptions& options);

}  // namespace raddle
