// The STD text format of RAPID (https://github.com/umangm/rapid): one event a line,
//
//   T0|r(V1)|345
//
// thread, operation with operand, location. Operations: r, w (variable), acq, rel (lock), fork,
// join (thread), begin, end (transaction: an atomic block; the operand may be empty).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace/event_sink.hpp"
#include "trace/result.hpp"
#include "trace/trace_reader.hpp"

namespace raddle {

// Writes what it is fed as STD text. The location is the event's SiteId.
//
// STD knows plain accesses and mutual exclusion, so:
// - A variable is an aligned 8-byte word. An access that straddles two words, or a range, is one
//   line for each word; of a range only the first kMaxStdWords are written.
// - Of a recursive lock only the outermost acquire and release. A condition wait is the release and
//   the acquire of its lock; the notify itself is no order that STD could say.
// - A shared lock, an atomic operation that synchronises, and signal/await become a critical
// section
//   of a lock of their own: order is kept, but also more order than there was (two readers, two
//   acquire loads). A relaxed atomic operation is left out, as is a fence.
// - Values, allocation, calls, units of work, user events and decisions are left out. A block of
//   memory that is freed and allocated again gives new variables.
class StdExporter : public EventSink {
 public:
  // Fails when the file cannot be opened for writing. /dev/stdout is a file too.
  static Result<std::unique_ptr<StdExporter>> create(const std::string& path);
  // Appends to `*text` instead.
  static std::unique_ptr<StdExporter> into(std::string* text);
  ~StdExporter() override;

  void begin(const TraceHeader& header) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void events(std::span<const Event> events) override;
  void end(const TraceEnd& end) override;

  // The first write that failed; after it nothing is written.
  std::optional<Error> error() const;
  std::uint64_t lines() const;

 private:
  class Impl;
  explicit StdExporter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

inline constexpr std::uint64_t kMaxStdWords = 4096;

// Reads STD text into a sink; TraceHeader::origin is "std". Threads, variables, locks and
// transactions may have any name without '|', '(' and ')' and are defined by it; locations are
// whole numbers, a site each. Threads begin with their first line and end with their last.
//
// A malformed line is an error "FILE:LINE: expected ..., found ..."; with salvage it ends the trace
// instead, and ReadSummary::damage says where.
Result<ReadSummary> read_std(const std::string& path, EventSink& sink,
                             const ReadOptions& options = {});
// The same for a text in memory; `name` is how errors and the header call it.
Result<ReadSummary> parse_std(std::string_view text, const std::string& name, EventSink& sink,
                              const ReadOptions& options = {});

}  // namespace raddle
