// What the steps of a recorded execution are called, for the commands in gdb (host/cli/gdb): the
// same names of threads and objects and the same places as in reports.
#pragma once

#include <string>

#include "host/cli/running/prepared_program.hpp"
#include "host/describe/timeline/timeline.hpp"
#include "host/replay/replay_file.hpp"

namespace raddle {

// Executes the recording once. The names as JSON:
//   {"threads": {"1": "spend"}, "steps": {"3": {"object": "account.mutex_", "where":
//   "account.cpp:12 in Account::balance"}}}
// Empty if the execution did not fail as recorded: then gdb's commands do with what gdb knows.
std::string names_for_gdb(const ReplayFile& file, const PreparedProgram& prepared);

// An event that belongs to the operation of its step, and not to what its thread did after that.
bool is_of_operation(EventKind event, OpKind op);

}  // namespace raddle
