// A recording of which only shared accesses stay (shared_accesses.hpp). Who touches what is known
// at the end, so the stream goes into a file without a name in the folder of the trace, which is
// read twice when the execution is over. Whatever happens to this process, that file is gone then.
//
// One thread: begin(), then the stream, then end().
//
// The disk must have room for the whole recording. If it has not, recording stops there, as without
// this, and the trace is made of what there was until then, as far as there is room for it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/trace/thinned_trace.hpp"
#include "host/trace/trace_writer.hpp"

namespace raddle {

class SharedRecording {
 public:
  // Replaces a file that is there; see TraceWriter::create().
  static Result<std::unique_ptr<SharedRecording>> create(const std::string& path);

  // Until end() the file is a trace that breaks off before its first event.
  void begin(TraceHeader header);
  StreamSink& stream() { return *spool_; }
  // An error is one of reading back.
  Result<ThinnedTrace> end(const TraceEnd& end);

  // As of TraceWriter: something could not be written.
  std::optional<Error> error() const;
  std::uint64_t byte_count() const { return trace_->byte_count(); }

 private:
  SharedRecording(std::unique_ptr<TraceWriter> trace, std::unique_ptr<TraceWriter> spool)
      : trace_(std::move(trace)), spool_(std::move(spool)) {}

  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<TraceWriter> spool_;
};

}  // namespace raddle
