// The target's side of the two control pipes and of the shared region.
#pragma once

#include "protocol/shared_region.hpp"

namespace raddle {

// Reads the environment that the host prepared, maps the region, and takes Raddle's variables out
// of the environment so that the program and its children do not see them. Null: not started by the
// host, the library stays passive.
SharedRegion* connect_to_host();

// For a launcher: `environment` and what the host had put into ours, for the program that it
// becomes, which will connect in its place. The descriptors stay open across exec.
char* const* launched_environment(char* const* environment);
// The launcher did not become it after all.
void launch_failed();

// Becomes a fork server: returns in each child that is to run an execution, never in the server
// itself. Without a control pipe (a debugger started the program) it returns at once.
void serve_executions(SharedRegion& region);

// False when a debugger started the program: nobody waits for reports.
bool has_host();

// For an execution whose process goes on to the next one (target/snapshot/).
bool commands_can_be_read();
int control_descriptors(int* out);  // at most two; returns how many
// Returns when the host asks for the next execution; ends the process when there is none.
void wait_for_command();
void tell_host_restored(int pid, int wait_status);
// The command that was read is for the server. Returns when that execution is over.
void let_server_fork(SharedRegion& region);

// Wakes the host: the report is complete.
void tell_host_report_ready();

}  // namespace raddle
