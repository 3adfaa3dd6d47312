// Writes a trace file while the program runs. docs/trace_format.md has the format, byte by byte.
//
// The recorder shares one core with the program, so the writer is made to be cheap: events are
// coded against what a few predictors expect (trace/trace_model.hpp), gathered into blocks, and
// each block is compressed and given to the kernel as soon as it is complete. Whatever happens
// afterwards, to the program, to this process or to the machine, the blocks that are in the file
// can be read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "trace/event_sink.hpp"
#include "trace/result.hpp"

namespace raddle {

// All calls from one thread, in the order that EventSink prescribes.
class TraceWriter : public EventSink {
 public:
  // Replaces a file that is there. Fails when it cannot be opened for writing, or when another
  // process is recording into it. The error is one line that names the path and the reason.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path);
  // Without end() before it, the file stays one that breaks off, as if the program had died.
  ~TraceWriter() override;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void begin(const TraceHeader& header) override;
  void define_site(SiteId id, const Site& site) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void events(std::span<const Event> events) override;
  // `end.events` is ignored: the file says how many it has.
  void end(const TraceEnd& end) override;

  // Gives what has been gathered so far to the file if the last time was 0.2 s ago or more; cheap
  // otherwise. To be called now and then while recording, also when there are no events.
  void tick();
  // The same, at once.
  void flush();

  // Set once something could not be written (the disk is full) or could not be recorded (an event
  // that is not valid, trace/trace_codec.hpp). From then on everything is dropped in silence; the
  // file holds all whole blocks up to there, and is readable. One line: path, reason, what to do.
  std::optional<Error> error() const;

  std::uint64_t event_count() const;  // taken, written or not yet
  std::uint64_t byte_count() const;   // in the file

 private:
  class Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace raddle
