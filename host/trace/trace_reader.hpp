// Reads a trace file into a sink. The input is treated as hostile: every length, id and count is
// checked, and memory is bounded whatever the file claims (docs/trace_format.md has the bounds).
// Streaming: the sink gets spans of thousands of events, where the file has as many between two
// definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/trace/event_sink.hpp"
#include "host/trace/record_tap.hpp"
#include "host/trace/stream_sink.hpp"

namespace raddle {

struct ReadOptions {
  // Damage ends the trace instead of being an error.
  bool salvage = false;
};

// Where a file stops making sense. `what` is a phrase: "breaks off in the middle of a block".
struct TraceDamage {
  std::uint64_t offset = 0;
  std::string what;
  bool operator==(const TraceDamage&) const = default;
};

struct ReadSummary {
  TraceHeader header;
  TraceEnd end;              // as given to the sink
  std::uint64_t events = 0;  // delivered
  std::uint64_t bytes = 0;   // of the file that were understood
  // Somebody is still recording into the file; it was read as far as it went.
  bool live = false;
  // With salvage: what it stopped at. The sink's TraceEnd is then not complete.
  std::optional<TraceDamage> damage;
};

// The sink gets begin(), definitions and events as they are read, and end() when the file is read
// to its end or, with salvage, to the damage. A file without an end is one whose writer died, or
// still works: that is not damage, and TraceEnd says that it is not complete.
//
// On an error the sink has seen what came before it, and gets no end(). The error is one line: the
// file's name, the byte offset, what is wrong, what to do. A file that cannot be opened, is no
// trace or has another version is an error with salvage too, since there is nothing to be read
// before it.
Result<ReadSummary> read_trace(const std::string& path, EventSink& sink,
                               const ReadOptions& options = {});

// The same for who writes the trace again: `definitions` gets the file's definitions as they are,
// with their anchors, and `tap` each record. The records between two definitions come between them.
Result<ReadSummary> read_trace_records(const std::string& path, EventSink& sink,
                                       StreamSink& definitions, RecordTap& tap,
                                       const ReadOptions& options = {});

// Whether the file begins as a trace does: tells a trace from a text of another tool. False also
// for a file that cannot be read.
bool has_trace_magic(const std::string& path);

}  // namespace raddle
