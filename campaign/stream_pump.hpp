// Reads the event stream of one execution in a thread of its own, from before it starts until it
// has ended, in whatever way. Bounded memory: the ring, and what decoder and sink keep; a slow sink
// makes the program wait.
#pragma once

#include <atomic>
#include <thread>

#include "campaign/stream_decoder.hpp"
#include "trace/shared_region.hpp"

namespace raddle {

class StreamPump {
 public:
  // `idle` is called, on the pump's thread, after each batch and at least every 100 ms.
  StreamPump(SharedRegion& region, StreamDecoder& decoder, std::function<void()> idle);
  ~StreamPump();
  StreamPump(const StreamPump&) = delete;
  StreamPump& operator=(const StreamPump&) = delete;

  // The execution has ended: reads what is left, and returns when the sink has it.
  void finish();

 private:
  void run();
  bool read_published();
  void read_rest();
  void consume(std::uint64_t from, std::uint64_t to);

  SharedRegion& region_;
  Stream& stream_;
  StreamDecoder& decoder_;
  std::function<void()> idle_;
  std::uint64_t consumed_ = 0;
  std::atomic<bool> finishing_ = false;
  std::thread thread_;
};

}  // namespace raddle
