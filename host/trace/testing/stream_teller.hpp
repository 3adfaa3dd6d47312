// Events -> the stream that a program would write to make them, for tests and benchmarks: the same
// encoder that hooks and runtime use. Not part of the library.
//
// A context is the decoder's to compute, an exit needs its enter, and so on: what a stream cannot
// say, the events must not ask for (trace_samples.hpp makes some).
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/trace/event_sink.hpp"
#include "host/trace/stream_sink.hpp"
#include "host/trace/trace_writer.hpp"
#include "protocol/stream.hpp"

namespace raddle {

class StreamTeller : public EventSink {
 public:
  // Chunks of that many bytes; the model is fresh in every so many of them.
  explicit StreamTeller(StreamSink& sink, std::size_t chunk_bytes = RADDLE_CHUNK_BYTES,
                        unsigned model_chunks = RADDLE_MODEL_CHUNKS)
      : sink_(sink), model_chunks_(model_chunks), buffer_(chunk_bytes + RADDLE_CHUNK_SLACK) {
    start_chunk();
  }

  void define_site(SiteId id, const Site& site) override {
    pass_on();
    sites_.push_back(site);
    sink_.define_site(id, site);
  }
  void define_thread(ThreadId id, const std::string& name) override {
    const auto length = static_cast<unsigned>(std::min<std::size_t>(name.size(), 255));
    if (stream_->cursor + RADDLE_NAME_BYTES > buffer_.data() + buffer_.size()) next_chunk();
    put(raddle_put_name(stream_->cursor, RADDLE_NAMES_THREAD, raw(id), name.data(), length));
  }
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override {
    pass_on();
    sink_.define_object({}, address, bytes, name);
  }
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override {
    pass_on();
    sink_.define_member({}, cls, offset, member);
  }
  void events(std::span<const Event> events) override {
    for (const Event& event : events) tell(event);
  }
  void end(const TraceEnd&) override { pass_on(); }

  // Gives the sink what there is.
  void pass_on() {
    const auto bytes = static_cast<std::size_t>(stream_->cursor - passed_);
    if (bytes == 0) return;
    sink_.records({passed_, bytes}, passed_ == buffer_.data() && chunk_ % model_chunks_ == 0);
    passed_ = stream_->cursor;
  }

  // Bytes that have been made.
  std::uint64_t bytes() const {
    return before_ + static_cast<std::uint64_t>(stream_->cursor - buffer_.data());
  }

 private:
  void start_chunk() {
    stream_->cursor = passed_ = buffer_.data();
    stream_->limit = buffer_.data() + buffer_.size() - 2 * RADDLE_CHUNK_SLACK;
    if (chunk_ % model_chunks_ == 0) stream_->model = RaddleModel{};
  }
  void next_chunk() {
    pass_on();
    before_ += static_cast<std::uint64_t>(stream_->cursor - buffer_.data());
    ++chunk_;
    start_chunk();
  }
  void put(std::uint8_t* end) {
    if (raddle_advance(stream_.get(), end)) next_chunk();
  }

  void tell(const Event& event) {
    if (event.kind == EventKind::decision) return tell_decision(event);
    if (raw(event.thread) != stream_->thread || event.step != stream_->step) {
      stream_->thread = raw(event.thread);
      stream_->step = event.step;
      put(raddle_put_running(stream_->cursor, stream_->thread, stream_->step));
    }
    const Site* site = raw(event.site) == 0 ? nullptr : &sites_[raw(event.site) - 1];
    const bool plain = event.kind == EventKind::read || event.kind == EventKind::write;
    const bool as_site_says =
        site != nullptr && site->kind == event.kind && event.flags == 0 && !is_atomic(event.kind);
    const unsigned usual = site == nullptr ? 0 : plain_size(*site);
    std::uint8_t* to = stream_->cursor;
    if (!as_site_says) to = raddle_put_kind(to, unsigned(event.kind), event.flags);
    if (event.size != usual) to = raddle_put_size(to, event.size);
    if (event.value2 != 0) to = raddle_put_value2(to, event.value2);
    const unsigned slot = as_site_says ? raddle_slot(raw(event.site))
                                       : raddle_slot_of_kind(raw(event.site), unsigned(event.kind));
    const unsigned bytes = event.size;
    if (plain && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)) {
      to = raddle_put_access(&stream_->model, to, raw(event.site), slot,
                             event.kind == EventKind::write ? 1 : 0, bytes, event.object,
                             event.value);
    } else {
      to = raddle_put_other(&stream_->model, to, raw(event.site), slot, event.object, event.value);
    }
    put(to);
  }

  void tell_decision(const Event& event) {
    std::uint8_t* to =
        raddle_put_kind(stream_->cursor, unsigned(EventKind::decision), unsigned(event.value >> 8));
    const unsigned slot = raddle_slot_of_kind(raw(event.site), unsigned(EventKind::decision));
    const std::uint64_t skipped = event.step - stream_->step - 1;
    to = raddle_put_other(
        &stream_->model, to, raw(event.site), slot, event.object,
        decision_value(static_cast<std::uint8_t>(event.value), raw(event.thread), skipped));
    stream_->step = event.step;
    stream_->thread = raw(event.thread);
    put(to);
  }

  static unsigned plain_size(const Site& site) {
    const bool plain = site.kind == EventKind::read || site.kind == EventKind::write;
    return plain ? std::min<unsigned>(site.size, 8) : site.size;
  }

  StreamSink& sink_;
  unsigned model_chunks_;
  std::vector<std::uint8_t> buffer_;
  std::unique_ptr<RaddleStream> stream_ = std::make_unique<RaddleStream>();
  std::uint8_t* passed_ = nullptr;
  std::uint64_t chunk_ = 0;
  std::uint64_t before_ = 0;
  std::vector<Site> sites_;
};

// The same into a file, its beginning and its end included.
class RecordingSink : public StreamTeller {
 public:
  explicit RecordingSink(TraceWriter& writer, std::size_t chunk_bytes = RADDLE_CHUNK_BYTES,
                         unsigned model_chunks = RADDLE_MODEL_CHUNKS)
      : StreamTeller(writer, chunk_bytes, model_chunks), writer_(writer) {}
  void begin(const TraceHeader& header) override { writer_.begin(header); }
  void end(const TraceEnd& end) override {
    pass_on();
    writer_.end(end);
  }

 private:
  TraceWriter& writer_;
};

}  // namespace raddle
