// Events to bytes and back, a block at a time: what docs/trace_format.md calls the columns of a
// data block. The state that outlives a block is a TraceModel, one in the encoder, one in the
// decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/event.hpp"
#include "trace/trace_model.hpp"

namespace raddle {

inline constexpr std::size_t kBlockEvents = 32768;
inline constexpr std::size_t kColumns = 5;  // control, sites, addresses, values, rest
// The most that one event can take in all columns together.
inline constexpr std::size_t kMaxEventBytes = 1 + 6 + 8 + 8 + (1 + 2 + 4 + 10 + 10 + 8);

// Whether the fields that others index and switch by are in range: the kind exists, the thread is
// one, the memory order of an atomic operation exists, and fork and join name a thread.
bool valid_event(const Event& event);

// One thread.
class EventEncoder {
 public:
  EventEncoder();

  // Sites 1 to `count` exist; never less than before.
  void set_site_count(std::uint32_t count) { model_->sites.resize(std::size_t{count} + 1); }

  // Takes events until the block is full or one is not valid or of an unknown site, and says how
  // many it took.
  std::size_t add(std::span<const Event> events);

  std::size_t count() const { return count_; }  // events in the block
  bool full() const { return count_ == kBlockEvents; }
  std::span<const unsigned char> column(std::size_t index) const;
  // The block has been taken. With `reset` the next one can be read without those before it.
  void next_block(bool reset);

 private:
  std::unique_ptr<TraceModel> model_;
  std::array<std::vector<unsigned char>, kColumns> buffers_;
  std::array<unsigned char*, kColumns> ends_{};
  std::size_t count_ = 0;
};

// For input that may be hostile.
class EventDecoder {
 public:
  EventDecoder();

  void set_site_count(std::uint32_t count) { model_->sites.resize(std::size_t{count} + 1); }
  void reset() {
    if (used_) model_->reset();
    used_ = false;
  }

  // The columns must stay until the block is read, and kSlack bytes behind each must be readable.
  static constexpr std::size_t kSlack = 16;
  void start_block(const std::array<std::span<const unsigned char>, kColumns>& columns);

  // Decodes events.size() events. Null, or what is wrong, as a phrase; then the decoder is good for
  // reset() alone.
  const char* decode(std::span<Event> events);
  // All columns are used up.
  bool at_end() const;

 private:
  struct Cursor {
    const unsigned char* at = nullptr;
    const unsigned char* end = nullptr;
  };
  const char* decode_rest(unsigned mask, std::uint32_t site, Event* e);

  std::unique_ptr<TraceModel> model_;
  std::array<Cursor, kColumns> columns_;
  bool used_ = false;  // the model has learnt something
};

}  // namespace raddle
