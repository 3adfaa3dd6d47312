// Gives the events of one execution to several sinks, each on a thread of its own: each gets
// everything, in order, as if it were alone. Whoever feeds it waits only for the slowest of them,
// and only once that one is kBatches behind: memory is bounded.
//
// An execution that fits into one batch starts no threads.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "host/trace/event_sink.hpp"

namespace raddle {

class FanOut final : public EventSink {
 public:
  // The sinks outlive it, and are nobody else's until end() has returned or it is gone.
  explicit FanOut(std::vector<EventSink*> sinks);
  ~FanOut() override;
  FanOut(const FanOut&) = delete;
  FanOut& operator=(const FanOut&) = delete;

  void begin(const TraceHeader& header) override;
  void define_site(SiteId id, const Site& site) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void define_image(const LoadedObject& image) override;
  void events(std::span<const Event> batch) override;
  // Returns when all sinks have everything, and their end().
  void end(const TraceEnd& end) override;

 private:
  static constexpr std::size_t kEvents = 1024;  // of a batch: some fit the second-level cache
  static constexpr std::size_t kBatches = 32;

  using Tell = std::function<void(EventSink&)>;
  struct Definition {
    std::size_t before;  // this event of the batch
    Tell tell;
  };
  struct Batch {
    std::vector<Event> events;
    std::vector<Definition> definitions;
    void give(EventSink& sink) const;
  };

  void define(Tell tell);
  void publish();
  void stop();
  void run(std::size_t sink);
  std::uint64_t slowest() const;

  std::vector<EventSink*> sinks_;
  std::array<Batch, kBatches> batches_;  // of number n: at n % kBatches
  Batch* filling_ = nullptr;             // of number published_

  std::mutex mutex_;
  std::condition_variable more_, room_;
  std::uint64_t published_ = 0;      // batches that are full
  std::vector<std::uint64_t> done_;  // by each sink
  bool stopped_ = false;             // nothing more will be published
  std::vector<std::thread> threads_;
};

}  // namespace raddle
