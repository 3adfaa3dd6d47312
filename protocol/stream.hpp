// What C++ adds to the stream's own header: the records in it that are no events.
#pragma once

#include <cstdint>

#include "protocol/event.hpp"
#include "protocol/stream_encoder.h"

namespace raddle {

// The byte behind RADDLE_ESCAPE where it is no EventKind. docs/trace_format.md has their fields.
enum class StreamCode : std::uint8_t {
  // Before a site record, and part of it.
  kSize = RADDLE_CODE_SIZE,      // bytes of the access
  kValue2 = RADDLE_CODE_VALUE2,  // Event::value2
  // Records of their own.
  kRunning = RADDLE_CODE_RUNNING,  // thread and step of what follows; wherever the model is fresh
  kSetjmp = RADDLE_CODE_SETJMP,    // jmp_buf; flags 0 when it was set, else the function is back
                                   // there by longjmp
  kIgnore = RADDLE_CODE_IGNORE,    // flag 1 begin, 0 end: the thread's memory events in between are
                                   // not wanted
  kName = RADDLE_CODE_NAME,        // of an object, a thread, or the running thread
  kNewObject =
      RADDLE_CODE_NEW_OBJECT,  // one more synchronisation object is used for the first time
  kLateWrite = RADDLE_CODE_LATE_WRITE,  // a plain write, and its value if the flag is 1
};

// A decision is a site record with the kind `decision`; its flags are the outcome, its address the
// ObjectId, and its value these three. From there on the thread runs.
constexpr std::uint64_t decision_value(std::uint8_t op, std::uint16_t thread,
                                       std::uint64_t steps_skipped) {
  return std::uint64_t(op) | std::uint64_t(thread) << 8 | steps_skipped << 24;
}

static_assert(kEventKinds <= int(StreamCode::kSize));

}  // namespace raddle
