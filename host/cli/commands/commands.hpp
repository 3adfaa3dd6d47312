// The commands. Each prints its result and returns the process's exit status.
#pragma once

#include "host/cli/options/options.hpp"
#include "host/cli/terminal/exit_status.hpp"

namespace raddle {

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
