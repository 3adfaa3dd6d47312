// A replay file: one saved execution, with all that is needed to run it again and to notice when it
// is not the same any more. Written by `raddle run --save` and `raddle fuzz`, read by `raddle
// replay`. docs/replay_format.md has the format, byte by byte.
//
// The reader treats its input as hostile. Every error is one line that starts with the file's name,
// says what is wrong and what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/base/result.hpp"
#include "host/replay/aims.hpp"
#include "host/replay/log_codec.hpp"
#include "host/replay/stream_kinds.hpp"
#include "protocol/choice_log.hpp"
#include "protocol/plan.hpp"
#include "protocol/report.hpp"

namespace raddle {

inline constexpr std::uint32_t kReplayVersion = 2;
inline constexpr std::string_view kReplayMagic = "raddle replay\n";
// Linux gives a new program at most 6 MB of arguments and environment; escaped in JSON that grows.
inline constexpr std::uint64_t kMaxReplayMetadata = 16 * 1024 * 1024;

struct ReplayFile {
  std::string raddle_version;          // of the Raddle that wrote it
  std::string program;                 // absolute path, symbolic links followed
  std::vector<std::string> arguments;  // argv, argv[0] included: never empty
  std::string directory;               // working directory, absolute
  std::vector<std::string>
      environment;       // "NAME=value", in order; see host/process/program/environment.hpp
  std::string image;     // a launcher was started and became this program; empty: no launcher
  StreamKinds streams;   // its standard streams
  std::string build_id;  // GNU build id in lower-case hex, empty if there is none
  std::uint64_t file_hash = 0;  // of the program's bytes (host/process/program/target.hpp)
  Plan plan{};                  // replay_steps, replay_strict, trace and aims are not saved
  std::vector<PlanAim> aims;    // what the plan names: decision points and steps of a candidate
  OutcomeKind outcome = OutcomeKind::kNone;
  std::string group;    // Failure::group
  std::string message;  // Failure::headline
  std::string level;    // finding_level_text() of what was confirmed; empty if nothing was
  // What happened and why, in words, as whoever recorded it printed it; empty if nobody did. Of a
  // file that was read it is anybody's text.
  std::string explanation;
  std::vector<StepRecord> log;
};

// The file's bytes, or why these contents cannot be a replay file (a caller's mistake).
Result<std::string> serialize_replay(const ReplayFile& file);

// `name` is how the errors call the file.
Result<ReplayFile> parse_replay(std::string_view bytes, const std::string& name);

// Nothing is left behind on failure (host/base/atomic_file.hpp). The folder must exist.
Result<std::monostate> write_replay(const std::string& path, const ReplayFile& file);

// Reads no more than the header of a file that is none of ours.
Result<ReplayFile> read_replay(const std::string& path);

// The container alone: header, both sections, checksum. For serialize_replay() and for tests that
// need files with a correct frame around wrong contents.
std::string frame_replay(std::string_view metadata, const CompressedLog& log);

}  // namespace raddle
