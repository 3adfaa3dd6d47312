#include "host/analysis/sharing/shared_recording.hpp"

#include "host/analysis/sharing/shared_accesses.hpp"
#include "host/trace/trace_reader.hpp"

namespace raddle {

Result<std::unique_ptr<SharedRecording>> SharedRecording::create(const std::string& path) {
  Result<std::unique_ptr<TraceWriter>> trace = TraceWriter::create(path);
  if (!trace) return Error{trace.error()};
  Result<std::unique_ptr<TraceWriter>> spool = TraceWriter::create_unnamed(path);
  if (!spool) return Error{spool.error()};
  return std::unique_ptr<SharedRecording>(
      new SharedRecording(std::move(*trace), std::move(*spool)));
}

void SharedRecording::begin(TraceHeader header) {
  spool_->begin(header);
  header.shared_only = true;
  trace_->begin(header);
}

Result<ThinnedTrace> SharedRecording::end(const TraceEnd& end) {
  spool_->end(end);
  SharingSurvey survey;
  const Result<ReadSummary> surveyed = read_trace(spool_->read_path(), survey);
  if (!surveyed) return Error{surveyed.error()};
  SharedAccesses shared(survey.owners());
  Result<ThinnedTrace> thinned = thin_trace(spool_->read_path(), shared, *trace_);
  if (!thinned) return thinned;
  // What the disk had no room for, nobody knows: the trace breaks off as the spool does.
  if (!spool_->error()) trace_->end(end);
  return thinned;
}

std::optional<Error> SharedRecording::error() const {
  return spool_->error() ? spool_->error() : trace_->error();
}

}  // namespace raddle
