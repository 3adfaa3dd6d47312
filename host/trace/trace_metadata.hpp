// The contents of a trace's header and end blocks: a list of names and values, all of them texts of
// any bytes. Names that are not known are ignored, so that a later Raddle may add some.
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.hpp"
#include "host/trace/event_sink.hpp"

namespace raddle {

std::string format_trace_header(const TraceHeader& header);
// `end.events` is not in the file: whoever reads it counts.
std::string format_trace_end(const TraceEnd& end, std::uint64_t record_bytes);

// The error is a phrase that names what is missing or wrong.
Result<TraceHeader> parse_trace_header(std::string_view contents);
Result<TraceEnd> parse_trace_end(std::string_view contents, std::uint64_t* record_bytes);

}  // namespace raddle
