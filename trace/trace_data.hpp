// The contents of a data block: definitions and events, in the order in which they were given.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "trace/event_sink.hpp"
#include "trace/trace_codec.hpp"

namespace raddle {

inline constexpr std::size_t kDataHeaderBytes = 8 + 4 + 4 + 4 + 4 * kColumns;
// Definitions after which a block is closed, so that it fits kMaxContents.
inline constexpr std::size_t kBlockDefinitions = 512 << 10;
// The block can be read without those before it: its events, not its sites.
inline constexpr std::uint32_t kDataReset = 1;

class DataBlockWriter {
 public:
  EventEncoder& encoder() { return encoder_; }
  std::uint64_t events() const { return before_ + encoder_.count(); }  // in all blocks so far
  bool empty() const { return encoder_.count() == 0 && definitions_.empty(); }
  bool full() const { return encoder_.full() || definitions_.size() >= kBlockDefinitions; }

  // The definition that `put` appends comes between the events before it and those after it.
  std::string* definition();
  // The contents; valid until the next call.
  std::string_view contents();
  void next_block(bool reset);

 private:
  EventEncoder encoder_;
  std::uint64_t before_ = 0;  // events in earlier blocks
  std::uint64_t defined_at_ = 0;
  std::string definitions_;
  std::string contents_;
  bool reset_ = true;  // the first block of a file
};

// For input that may be hostile.
class DataBlockReader {
 public:
  // `*contents` may grow by a few bytes. Null, or what is wrong, as a phrase.
  const char* read(std::string* contents, EventSink& sink);
  std::uint64_t events() const { return events_; }  // given to the sink

 private:
  const char* give_events(std::uint64_t count, EventSink& sink);

  EventDecoder decoder_;
  static constexpr std::size_t kBatch = 4096;
  std::unique_ptr<Event[]> batch_ = std::make_unique_for_overwrite<Event[]>(kBatch);
  std::uint64_t events_ = 0;
  std::uint32_t sites_ = 0;
};

}  // namespace raddle
