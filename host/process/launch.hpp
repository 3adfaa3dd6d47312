// Starts a target with the runtime preloaded, address randomisation off and the control pipes open:
// the process that then becomes the fork server of one worker.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/base/unique_fd.hpp"
#include "host/replay/stream_kinds.hpp"

namespace raddle {

// What to run, and in what surroundings.
struct Command {
  std::string program;                   // path for exec
  std::vector<std::string> arguments;    // argv, argv[0] included
  std::vector<std::string> environment;  // "NAME=value", without anything of Raddle's own
  std::string directory;                 // working directory; empty: the host's
};

// Where the target's standard streams go.
enum class Streams {
  kInherited,  // the user's own; the target stays in the user's process group, as a shell expects
  kCaptured,   // input from a descriptor of ours, output into pipes; its own process group
};

struct LaunchOptions {
  std::string library;      // libraddle.so
  std::string region_path;  // kRegionVariable
  Streams streams = Streams::kCaptured;
  int input = -1;     // kCaptured: standard input; -1: /dev/null
  StreamKinds kinds;  // kCaptured: of the output; the input's is that of `input`
  // Bind all symbols at the start: then no execution has to do it again. A program with symbols
  // that nothing defines does not start that way.
  bool bind_now = true;
};

struct Server {
  pid_t pid = -1;
  UniqueFd command;  // write kRunCommand here
  UniqueFd status;   // read ServerMessage here; non-blocking
  UniqueFd out;      // captured output, non-blocking; not open with kInherited
  UniqueFd err;
  UniqueFd out_file;  // where the output is a file
  UniqueFd err_file;
};

// The environment in which the target starts: the command's own and Raddle's variables.
std::vector<std::string> target_environment(const Command& command, const LaunchOptions& options,
                                            const std::string& control);

// Returns when exec succeeded, or with the reason why it did not. The caller owns the process: it
// must be killed and reaped. It dies with the thread that called this.
Result<Server> launch(const Command& command, const LaunchOptions& options);

}  // namespace raddle
