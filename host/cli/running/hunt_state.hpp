// What a hunt leaves behind, so that another one goes on where it stopped: hunt.json in the folder
// for replay files. Written atomically when the hunt ends, by Ctrl-C too. The reader treats its
// input as hostile.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/hunt/hunt.hpp"
#include "host/cli/running/prepared_program.hpp"

namespace raddle {

inline constexpr int kHuntStateVersion = 1;

struct HuntState {
  std::string program;                 // absolute path
  std::vector<std::string> arguments;  // argv
  std::string build_id;
  std::uint64_t file_hash = 0;
  std::uint64_t next_seed = 1;
  std::uint64_t executions = 0;  // in all hunts so far
  double seconds = 0;
  std::vector<KnownCandidate> candidates;
  struct Failure {
    std::string group;
    std::string replay;  // path, relative to the state's folder
  };
  std::vector<Failure> failures;
};

// "DIR/hunt.json" for a folder, the path itself for a file.
std::string hunt_state_path(const std::string& given);

Result<HuntState> read_hunt_state(const std::string& path);
Result<std::monostate> write_hunt_state(const std::string& path, const HuntState& state);

// Refuses a state of another program, of another build (naming both), or of other arguments.
Result<std::monostate> check_same_hunt(const std::string& path, const HuntState& state,
                                       const PreparedProgram& prepared);

// The state after a hunt: `before` (what it went on from) and what it found.
HuntState state_after(const HuntState& before, const PreparedProgram& prepared,
                      const HuntResult& result, double seconds);

}  // namespace raddle
