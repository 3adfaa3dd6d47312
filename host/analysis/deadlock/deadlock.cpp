#include "host/analysis/deadlock/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace raddle {
namespace {

bool same_locks(const auto& a, const auto& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.lock == y.lock && x.shared == y.shared;
  });
}

}  // namespace

DeadlockDetector::DeadlockDetector(ExecutionState& state, const AnalysisOptions& options)
    : state_(state), options_(options), order_(state) {}

DeadlockDetector::Thread& DeadlockDetector::thread(ThreadIndex index) {
  if (index >= threads_.size()) threads_.resize(index + std::size_t{1});
  return threads_[index];
}

DeadlockDetector::LockNumber DeadlockDetector::number(std::uint64_t lock) {
  Lock& found = locks_.at(lock);
  if (found.number == 0) found.number = ++last_lock_;
  return found.number;
}

void DeadlockDetector::acquire(const Event& event) {
  const ThreadIndex index = state_.index(event.thread);
  Thread& self = thread(index);
  const Held now{number(event.object), state_.shared(), event.object, state_.point(event),
                 event.step};
  const std::uint64_t key = mix(now.lock * std::uint64_t{2} + now.shared, mix(self.hash, index));
  // A trylock never waits, so nobody can be stuck there; but others may be stuck on what it took.
  if (!self.held.empty() && (event.flags & kTry) == 0) {
    Dependency* known = nullptr;
    const auto [begin, end] = index_.equal_range(key);
    for (auto at = begin; at != end && known == nullptr; ++at) {
      Dependency& other = dependencies_[at->second];
      if (other.thread == index && other.acquired.lock == now.lock &&
          other.acquired.shared == now.shared && same_locks(other.held, self.held))
        known = &other;
    }
    if (known == nullptr && dependencies_.size() < kMostDependencies) {
      index_.emplace(key, static_cast<std::uint32_t>(dependencies_.size()));
      dependencies_.push_back(
          {index, order_.slot(index), self.held, now, {order_.clock(index)}, self.version});
    } else if (known == nullptr) {
      state_.note(
          fmt::format("deadlock: more than {} different ways to acquire locks; the rest is "
                      "not looked at",
                      kMostDependencies));
    } else if (known->last_version != self.version) {
      known->last_version = self.version;
      if (known->times.size() < kMostTimes) {
        known->times.push_back(order_.clock(index));
      } else {
        state_.note(
            fmt::format("deadlock: the same locks are acquired in the same order at more "
                        "than {} times that differ in what comes before; the later ones "
                        "are not looked at",
                        kMostTimes));
      }
    }
  }
  self.held.push_back(now);
  self.hash = mix(self.hash, now.lock * std::uint64_t{2} + now.shared);
}

void DeadlockDetector::release(const Event& event) {
  Thread& self = thread(state_.index(event.thread));
  std::erase_if(self.held, [&](const Held& held) { return held.address == event.object; });
  self.hash = 0;
  for (const Held& held : self.held)
    self.hash = mix(self.hash, held.lock * std::uint64_t{2} + held.shared);
}

// Neither locks nor memory: only what every schedule keeps.
void DeadlockDetector::order(const Event& event) {
  order_.before(event);
  order_.after(event);
  ++thread(state_.index(event.thread)).version;
}

void DeadlockDetector::on_event(const Event& event) {
  switch (event.kind) {
    case EventKind::acquire:
      if (state_.outermost()) acquire(event);
      return;
    case EventKind::release:
      if (state_.outermost()) release(event);
      return;
    case EventKind::fork:
    case EventKind::join:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::notify:
    case EventKind::wake:
      order(event);
      return;
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
      locks_.forget(event.object, event.value);
      order_.after(event);
      return;
    case EventKind::destroy:
      locks_.forget(event.object, 1);
      order_.after(event);
      return;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::wait:
    case EventKind::read:
    case EventKind::write:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::user:
      return;
  }
}

std::unique_ptr<Detector> make_deadlock_detector(ExecutionState& state,
                                                 const AnalysisOptions& options) {
  return std::make_unique<DeadlockDetector>(state, options);
}

}  // namespace raddle
