#include "host/analysis/asset/relaxed_order.hpp"

#include <algorithm>

namespace raddle {

RelaxedOrder::Thread& RelaxedOrder::thread(ThreadIndex index) {
  if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
  Thread& own = threads_[index];
  if (own.clock.size() <= index) {
    own.clock.resize(index + std::size_t{1});
    own.clock[index] = 1;
    own.kept = 0;
  }
  return own;
}

void RelaxedOrder::learn(ThreadIndex index, const Clock& from) {
  Thread& own = thread(index);
  if (from.size() > own.clock.size()) own.clock.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) own.clock[i] = std::max(own.clock[i], from[i]);
  own.kept = 0;
}

// What the thread did so far comes before whoever learns from `to`; what it does later does not.
void RelaxedOrder::tell(ThreadIndex index, Clock& to) {
  Thread& own = thread(index);
  if (own.clock.size() > to.size()) to.resize(own.clock.size());
  for (std::size_t i = 0; i < own.clock.size(); ++i) to[i] = std::max(to[i], own.clock[i]);
  ++own.clock[index];
  own.kept = 0;
}

void RelaxedOrder::on_event(const Event& event) {
  const ThreadIndex self = state_.index(event.thread);
  if (event.kind == EventKind::fork || event.kind == EventKind::join) {
    const ThreadIndex other = state_.index(static_cast<ThreadId>(event.value));
    if (other == self) return;  // a malformed stream
    const bool fork = event.kind == EventKind::fork;
    thread(std::max(self, other));
    Clock message;
    tell(fork ? self : other, message);
    learn(fork ? other : self, message);
  } else if (event.kind == EventKind::notify || event.kind == EventKind::signal) {
    tell(self, objects_[event.object]);
  } else if (event.kind == EventKind::await ||
             (event.kind == EventKind::wake && event.value == 0)) {
    const auto object = objects_.find(event.object);
    if (object != objects_.end()) learn(self, object->second);
  }
}

RelaxedOrder::Moment RelaxedOrder::now(ThreadIndex index) {
  Thread& own = thread(index);
  if (own.kept == 0) {
    kept_.push_back(own.clock);
    own.kept = static_cast<std::uint32_t>(kept_.size());
  }
  return {index, own.kept - 1};
}

bool RelaxedOrder::before(Moment a, Moment b) const {
  const Clock& first = kept_[a.clock];
  const Clock& second = kept_[b.clock];
  return a.thread < second.size() && first[a.thread] <= second[a.thread];
}

}  // namespace raddle
