// The commands. Each prints its result and returns the process's exit status.
#pragma once

#include "host/cli/options.hpp"

namespace raddle {

enum ExitStatus : int {
  kNothingFound = 0,
  kFailingFound = 1,  // for a detector alone: a candidate
  kBadInput = 2,      // usage, or something is wrong with what the user gave
  kInconclusiveEnd =
      3,  // no verdict: not controlled, a limit, interrupted, or a replay that diverged
};

int run_command(const RunCommand& command);
int record_command(const RecordCommand& command);
int trace_command(const TraceCommand& command);
int analyze_command(const AnalyzeCommand& command);
int check_command(const CheckCommand& command);
int fuzz_command(const FuzzCommand& command);
int explore_command(const ExploreCommand& command);
int replay_command(const ReplayCommand& command);
int hunt_command(const HuntCommand& command);
int minimize_command(const MinimizeCommand& command);
int doctor_command(const DoctorCommand& command);

}  // namespace raddle
