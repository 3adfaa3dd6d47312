// Writes records of one stream into another, some of them left out: site records say how they
// differ from what a model expects, so they are made anew, by a model of the new stream. Everything
// else is copied. One thread.
//
// It knows whose events come next and at which step, and says so wherever the model is as new.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/trace/record_tap.hpp"
#include "host/trace/stream_sink.hpp"
#include "protocol/stream.hpp"

namespace raddle {

class StreamRewriter {
 public:
  // The sink gets chunks of that many bytes; the model is as new in every so many of them.
  explicit StreamRewriter(StreamSink& sink, std::size_t chunk_bytes = RADDLE_CHUNK_BYTES,
                          unsigned model_chunks = RADDLE_MODEL_CHUNKS);

  void put(const SiteRecord& record);
  void put(std::span<const std::uint8_t> other);
  // Whose events follow the records so far, also of those that were left out.
  void follow(ThreadId thread, std::uint64_t step) {
    thread_ = thread;
    step_ = step;
  }
  // Gives the sink what there is.
  void pass_on();

 private:
  void start_chunk();
  void make_room(std::size_t bytes);

  StreamSink& sink_;
  unsigned model_chunks_;
  std::unique_ptr<RaddleModel> model_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  std::size_t passed_ = 0;
  std::uint64_t chunk_ = 0;
  ThreadId thread_{};
  std::uint64_t step_ = 0;
};

}  // namespace raddle
