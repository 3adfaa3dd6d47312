// raddle replay --gdb: the debugger, with the recorded execution inside it.
//
// gdb starts the program itself, through a wrapper: `raddle gdb-start SPEC`, which sets up the
// recorded environment and executes the program. It runs with kernel threads, without a fork
// server, so gdb sees an ordinary process. This process stays as gdb's parent: it owns the shared
// region, watches the program, and passes its output on.
#pragma once

#include "host/cli/running/prepared_program.hpp"
#include "host/replay/replay_file.hpp"

namespace raddle {

// Returns when gdb has ended. Its exit status is that of a verdict only if gdb could not be
// started: a program in a debugger finds nothing by itself.
//
// `listen` is where gdbserver waits for a debugger elsewhere, HOST:PORT; empty: gdb itself, here.
int replay_in_gdb(const ReplayFile& file, const PreparedProgram& prepared,
                  const std::string& listen = "");

// The wrapper, called by gdb: argv after `gdb-start`, i.e. the spec's path and then the program's
// argv. Returns only on failure.
int start_for_gdb(int count, char** arguments);

inline constexpr char kGdbStart[] = "gdb-start";

}  // namespace raddle
