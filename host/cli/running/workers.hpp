// How the commands start workers: every one of them through these. On the command's own thread.
#pragma once

#include <cstdint>

#include "host/cli/options/program_options.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/process/worker.hpp"
#include "host/replay/replay_file.hpp"

namespace raddle {

// The program and its runtime, nothing else.
WorkerOptions worker_options(const PreparedProgram& prepared, std::uint64_t max_steps);

// As the user wants it. `input` is standard input of each execution; -1: none.
WorkerOptions worker_options(const PreparedProgram& prepared, const ProgramOptions& program,
                             int input);

// As it was recorded.
WorkerOptions worker_options(const PreparedProgram& prepared, const ReplayFile& file, int input);

}  // namespace raddle
