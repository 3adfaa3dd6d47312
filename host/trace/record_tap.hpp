// Who sees the records of a stream as well as the events that are made of them: to write some of
// them again (host/trace/stream_rewriter.hpp). Given to a StreamDecoder; called from its thread.
#pragma once

#include <cstdint>
#include <span>

#include "protocol/event.hpp"

namespace raddle {

// A record whose bytes mean something by the model alone, without them. Of `prefix` and those of
// other records the meaning does not depend on it: they can be copied.
struct SiteRecord {
  std::span<const std::uint8_t> prefix;  // escapes before it
  EventKind kind{};
  std::uint32_t site = 0;
  unsigned slot = 0;         // of the model
  unsigned plain_bytes = 0;  // of a plain access of 1, 2, 4 or 8 bytes; 0: any other event
  std::uint64_t address = 0;
  std::uint64_t value = 0;
};

class RecordTap {
 public:
  virtual ~RecordTap() = default;
  // Each record in order. The sink has just got its event, if it makes one, and nothing else in
  // between.
  virtual void site_record(const SiteRecord& record) = 0;
  virtual void other_record(std::span<const std::uint8_t> bytes) = 0;
};

}  // namespace raddle
