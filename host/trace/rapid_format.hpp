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

#include "host/base/result.hpp"
#include "host/trace/event_sink.hpp"
#include "host/trace/trace_reader.hpp"

namespace raddle {

// Writes what it is fed as STD text. The location is the event's SiteId; for what was imported from
// STD, the location that it had. Threads, variables and locks have the names that were defined for
// them before their first line, if no other has it, and otherwise `T3', `V7ffff7a0', `L5555557a0';
// bytes that would not parse are escaped (%28).
//
// STD knows plain accesses and mutual exclusion, so:
// - A variable is an aligned 8-byte word. An access that straddles two words, or a range, is one
//   line for each word; of a range only the first kMaxRapidWords are written. Memory that is
//   allocated, or becomes a local variable, is new variables.
// - Of a recursive lock only the outermost acquire and release. A condition wait is the release and
//   the acquire of its lock; the notify itself is no order that STD could say.
// - An atomic operation that synchronises is the access inside a critical section of the object's
//   own lock (`A...'); signal and await are each an empty one (`S...'), and so are shared acquire
//   and release, of the lock itself. All order is kept, but there is more than there was: between
//   two readers, two acquire loads, two signals.
// - Atomic blocks, and functions that are annotated as such, are begin and end.
// - Left out: relaxed atomic operations and fences; values; allocation, calls, units of work, user
//   events, decisions; what contradicts mutual exclusion, such as a release by another thread.
class RapidExporter : public EventSink {
 public:
  // Fails when the file cannot be opened for writing. /dev/stdout is a file too.
  static Result<std::unique_ptr<RapidExporter>> create(const std::string& path);
  // Appends to `*text` instead.
  static std::unique_ptr<RapidExporter> into(std::string* text);
  ~RapidExporter() override;

  void begin(const TraceHeader& header) override;
  void define_site(SiteId id, const Site& site) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void events(std::span<const Event> events) override;
  void end(const TraceEnd& end) override;

  // The first write that failed; after it nothing is written.
  std::optional<Error> error() const;
  std::uint64_t lines() const;

 private:
  class Impl;
  explicit RapidExporter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

inline constexpr std::uint64_t kMaxRapidWords = 4096;

// Reads STD text into a sink; TraceHeader::origin is "std". Threads, variables, locks and
// transactions may have any name without '|', '(', ')' and control characters, and are defined by
// it
// (%28 and kin are read as the bytes they stand for); locations are whole numbers, a site each.
// Empty lines are skipped. A thread begins with its first line, forked or not, and ends when it is
// joined or with the text. Accesses have no values.
//
// A line that is malformed, or that no execution could have (a lock that another thread holds, a
// thread that goes on after its join) is an error "FILE:LINE: expected ..., found ..."; with
// salvage it ends the trace instead, and ReadSummary::damage says where.
Result<ReadSummary> read_std(const std::string& path, EventSink& sink,
                             const ReadOptions& options = {});
// The same for a text in memory; `name` is how errors and the header call it.
Result<ReadSummary> parse_std(std::string_view text, const std::string& name, EventSink& sink,
                              const ReadOptions& options = {});

}  // namespace raddle
