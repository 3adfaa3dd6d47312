// Reads the event stream of one execution in a thread of its own, from before it starts until it
// has ended, in whatever way. Bounded memory: the ring, and what the sink keeps; a slow sink makes
// the program wait.
#pragma once

#include <atomic>
#include <thread>

#include "host/process/stream/stream_definitions.hpp"
#include "protocol/shared_region.hpp"

namespace raddle {

class StreamPump {
 public:
  StreamPump(EventStream& events, StreamDefinitions& definitions, StreamSink& sink);
  ~StreamPump();
  StreamPump(const StreamPump&) = delete;
  StreamPump& operator=(const StreamPump&) = delete;

  // The execution has ended: reads what is left, and returns when the sink has it.
  void finish();

 private:
  void run();
  bool read_published();
  void read_rest();
  void pass_on(std::uint32_t end);

  EventStream& events_;
  RaddleStream& stream_;
  StreamDefinitions& definitions_;
  StreamSink& sink_;
  std::uint64_t chunk_ = 0;   // that is being read
  std::uint32_t offset_ = 0;  // how much of it the sink has
  std::atomic<bool> finishing_ = false;
  std::thread thread_;
};

}  // namespace raddle
