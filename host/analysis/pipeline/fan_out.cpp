#include "host/analysis/pipeline/fan_out.hpp"

#include <algorithm>
#include <utility>

namespace raddle {

FanOut::FanOut(std::vector<EventSink*> sinks)
    : sinks_(std::move(sinks)), filling_(batches_.data()), done_(sinks_.size()) {}

FanOut::~FanOut() { stop(); }

void FanOut::begin(const TraceHeader& header) {
  define([header](EventSink& sink) { sink.begin(header); });
}

void FanOut::define_site(SiteId id, const Site& site) {
  define([id, site](EventSink& sink) { sink.define_site(id, site); });
}

void FanOut::define_thread(ThreadId id, const std::string& name) {
  define([id, name](EventSink& sink) { sink.define_thread(id, name); });
}

void FanOut::define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
  define([=](EventSink& sink) { sink.define_object(address, bytes, name); });
}

void FanOut::define_member(const std::string& cls, std::uint32_t offset,
                           const std::string& member) {
  define([=](EventSink& sink) { sink.define_member(cls, offset, member); });
}

void FanOut::define_image(const LoadedObject& image) {
  define([image](EventSink& sink) { sink.define_image(image); });
}

void FanOut::define(Tell tell) {
  filling_->definitions.push_back({filling_->events.size(), std::move(tell)});
}

void FanOut::events(std::span<const Event> batch) {
  while (!batch.empty()) {
    std::vector<Event>& events = filling_->events;
    const std::size_t some = std::min(batch.size(), kEvents - events.size());
    events.insert(events.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(some));
    batch = batch.subspan(some);
    if (events.size() == kEvents) publish();
  }
}

void FanOut::end(const TraceEnd& end) {
  define([end](EventSink& sink) { sink.end(end); });
  if (threads_.empty()) {
    for (EventSink* sink : sinks_) filling_->give(*sink);
    return;
  }
  publish();
  stop();
}

// The batch is full; the next one is filled when nobody reads there any more.
void FanOut::publish() {
  std::unique_lock lock(mutex_);
  ++published_;
  if (threads_.empty()) {
    for (std::size_t i = 0; i < sinks_.size(); ++i) threads_.emplace_back([this, i] { run(i); });
  }
  more_.notify_all();
  // Until half of them are free, lest feeder and slowest sink take turns batch by batch.
  if (published_ - slowest() >= kBatches)
    room_.wait(lock, [this] { return published_ - slowest() <= kBatches / 2; });
  filling_ = &batches_[published_ % kBatches];
  filling_->events.clear();
  filling_->definitions.clear();
}

std::uint64_t FanOut::slowest() const { return *std::min_element(done_.begin(), done_.end()); }

// The threads end when they have all that was published.
void FanOut::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void FanOut::run(std::size_t sink) {
  for (std::uint64_t next = 0;; ++next) {
    {
      std::unique_lock lock(mutex_);
      done_[sink] = next;
      if (published_ - next == kBatches / 2) room_.notify_one();
      more_.wait(lock, [&] { return published_ > next || stopped_; });
      if (published_ == next) return;
    }
    batches_[next % kBatches].give(*sinks_[sink]);
  }
}

void FanOut::Batch::give(EventSink& sink) const {
  std::size_t given = 0;
  const std::span<const Event> all(events);
  for (const Definition& definition : definitions) {
    if (definition.before > given) sink.events(all.subspan(given, definition.before - given));
    given = definition.before;
    definition.tell(sink);
  }
  if (given < all.size()) sink.events(all.subspan(given));
}

}  // namespace raddle
