// What every command needs before it can start a program: the program, the runtime, the folder for
// replay files; and the way back from an execution to a replay file.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/base/unique_fd.hpp"
#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/hunt/hunt.hpp"
#include "host/campaign/predict/predict.hpp"
#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/process/launch.hpp"
#include "host/process/program/target.hpp"
#include "host/replay/replay_file.hpp"

namespace raddle {

// The runtime's path, fit for LD_PRELOAD. Looked for beside the tool and in ../lib/raddle.
class RuntimeLibrary {
 public:
  static Result<RuntimeLibrary> find();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  UniqueFd fd_;  // open when the real path cannot stand in LD_PRELOAD
};

struct PreparedProgram {
  Target target;
  Command command;
  RuntimeLibrary library;
};

// The program of `raddle run` and `raddle fuzz`, in the present environment and folder.
Result<PreparedProgram> prepare_program(const std::vector<std::string>& program);

// Which build of a program it is, for reports: "build id 9f3c0d5e, with debug information". Empty
// if there is no such program.
std::string build_words(const std::string& program);

// The program of a replay file, as it was started then. Refuses another build.
Result<PreparedProgram> prepare_recorded_program(const ReplayFile& file);

// Why an execution is kept, as its replay file says it: `raddle minimize' keeps what has the same
// group, and `raddle explain' prints the explanation. Nothing for an execution that passed.
struct RecordedFinding {
  std::string group;
  std::string message;
  std::string explanation;
  std::string level;  // finding_level_text(), of an execution that passed
};
RecordedFinding recorded(const Failure& failure, const Explanation& explanation = {});
RecordedFinding recorded(const HuntFinding& confirmed);
RecordedFinding recorded(const Confirmation& violation);  // of atomicity, which nobody predicted
RecordedFinding recorded(const FoundMisuse& misuse);
RecordedFinding recorded(const PredictedFinding& predicted);

ReplayFile make_recording(const PreparedProgram& prepared, const Execution& execution,
                          const RecordedFinding& finding);

// The folder that replay files go to: made if need be, and tried, before anything runs.
class OutputFolder {
 public:
  static Result<OutputFolder> open(const std::string& path);

  // The next path "<folder>/<n>.replay" that is not taken: earlier recordings stay.
  std::string next_replay();

  // A path for an execution that is kept until the campaign has looked at it again:
  // "<folder>/found-<n>.replay".
  std::string provisional_replay();

  // Removes the folder if it was made here, nothing was put into it, and no other raddle uses it.
  void remove_if_unused();

 private:
  std::string path_;
  std::string unused(const char* name, unsigned& next) const;

  bool made_ = false;
  UniqueFd lock_;  // shared with all who use the folder
  unsigned next_ = 1;
  unsigned next_provisional_ = 1;
};

// Whether a file can be written there: made anew, or, if it is a device or a pipe (/dev/stdout),
// as it is. Nothing is left behind.
Result<bool> check_can_write(const std::string& path);

}  // namespace raddle
