#include "host/analysis/testing/random_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace raddle {
namespace {

class Generator {
 public:
  Generator(std::mt19937_64& random, const RandomTraceShape& shape)
      : random_(random), shape_(shape), threads_(static_cast<std::size_t>(shape.threads)) {}

  std::vector<Event> run() {
    threads_[0].alive = true;
    emit(0, EventKind::thread_begin);
    // In some traces every thread is there from the start, so that threads overlap for long.
    if (!shape_.late_forks && below(2) == 0)
      for (std::size_t child = 1; child < threads_.size(); ++child) fork(0, child);
    const int length = 4 + below(shape_.events - 3);
    while (static_cast<int>(events_.size()) < length) {
      const auto thread = static_cast<std::size_t>(below(shape_.threads));
      if (threads_[thread].alive && !threads_[thread].waits)
        act(thread);
      else if (threads_[thread].waits)
        wake(thread);
    }
    return std::move(events_);
  }

 private:
  enum class Scope { kBlock, kUnit };
  struct Thread {
    bool alive = false, ended = false, joined = false;
    bool waits = false;
    std::uint64_t condition = 0, lock = 0;
    std::vector<std::pair<Scope, std::uint64_t>> scopes;
    std::map<std::uint64_t, int> holds, reads;  // lock -> depth
  };

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  Event& emit(std::size_t thread, EventKind kind, std::uint64_t object = 0, std::uint64_t value = 0,
              unsigned flags = 0, int size = 0) {
    Event event{};
    event.kind = kind;
    event.flags = static_cast<std::uint8_t>(flags);
    event.size = static_cast<std::uint16_t>(size);
    event.thread = ThreadId{static_cast<std::uint16_t>(thread)};
    event.step = events_.size();
    event.object = object;
    event.value = value;
    events_.push_back(event);
    return events_.back();
  }

  void fork(std::size_t parent, std::size_t child) {
    Thread& born = threads_[child];
    if (born.alive || born.ended) return;
    born.alive = true;
    emit(parent, EventKind::fork, 0, child);
    if (below(2) == 0) emit(child, EventKind::thread_begin);
  }

  bool free_for(std::uint64_t lock, std::size_t thread, bool shared) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      if (i == thread) continue;
      if (threads_[i].holds[lock] > 0 || (!shared && threads_[i].reads[lock] > 0)) return false;
    }
    return true;
  }

  void act(std::size_t thread) {
    const int dice = below(100);
    if (dice < 55) return access(thread);
    if (dice < 75) return scope(thread);
    if (dice < (shape_.late_forks ? 85 : 80)) return life(thread);
    if (shape_.synchronise) synchronise(thread);
  }

  void access(std::size_t thread) {
    std::uint64_t address = kVariables + 8 * static_cast<std::uint64_t>(below(shape_.variables));
    int size = 8;
    if (shape_.parts && below(4) == 0) {
      size = 4;
      address += below(2) == 0 ? 0 : 4;
    }
    const int kind = below(shape_.synchronise ? 12 : 10);
    if (kind < 5)
      emit(thread, EventKind::read, address, 0, 0, size);
    else if (kind < 10)
      emit(thread, EventKind::write, address, 0, 0, size);
    else if (kind == 10)
      emit(thread, EventKind::atomic_update, address, 0, kSuccess, size).value2 =
          static_cast<std::uint64_t>(below(2));
    else
      emit(thread, EventKind::atomic_compare, address, 0, below(2) == 0 ? kSuccess : 0, size);
  }

  void scope(std::size_t thread) {
    Thread& self = threads_[thread];
    if (!self.scopes.empty() && shape_.long_scopes && below(4) != 0) return access(thread);
    if (!self.scopes.empty() && (below(2) == 0 || self.scopes.size() >= 3)) {
      const auto [scope, object] = self.scopes.back();
      self.scopes.pop_back();
      emit(thread, scope == Scope::kBlock ? EventKind::block_exit : EventKind::unit_exit, object);
    } else if (shape_.units > 0 && (!shape_.blocks || below(2) == 0)) {
      const std::uint64_t object =
          kUnitObjects + 8 * static_cast<std::uint64_t>(below(shape_.units));
      self.scopes.emplace_back(Scope::kUnit, object);
      emit(thread, EventKind::unit_enter, object);
    } else if (shape_.blocks) {
      self.scopes.emplace_back(Scope::kBlock, 0);
      emit(thread, EventKind::block_enter);
    }
  }

  void life(std::size_t thread) {
    Thread& self = threads_[thread];
    const auto other = static_cast<std::size_t>(below(shape_.threads));
    if (other == thread) {
      const auto held = [](const auto& entry) { return entry.second > 0; };
      if (thread == 0 || std::any_of(self.holds.begin(), self.holds.end(), held) ||
          std::any_of(self.reads.begin(), self.reads.end(), held))
        return;
      for (; !self.scopes.empty(); self.scopes.pop_back())
        emit(thread,
             self.scopes.back().first == Scope::kBlock ? EventKind::block_exit
                                                       : EventKind::unit_exit,
             self.scopes.back().second);
      emit(thread, EventKind::thread_end);
      self.alive = false;
      self.ended = true;
    } else if (threads_[other].ended && !threads_[other].joined) {
      threads_[other].joined = true;
      emit(thread, EventKind::join, 0, other);
    } else {
      fork(thread, other);
    }
  }

  void synchronise(std::size_t thread) {
    Thread& self = threads_[thread];
    const std::uint64_t lock = kLocks + 8 * static_cast<std::uint64_t>(below(shape_.locks));
    const int dice = below(20);
    if (dice < 8) {  // exclusive, recursive
      int& depth = self.holds[lock];
      if (depth > 0 && below(3) != 0) {
        --depth;
        emit(thread, EventKind::release, lock, static_cast<std::uint64_t>(depth));
      } else if (self.reads[lock] == 0 && free_for(lock, thread, false)) {
        ++depth;
        emit(thread, EventKind::acquire, lock, static_cast<std::uint64_t>(depth));
      }
    } else if (dice < 12) {
      int& depth = self.reads[lock];
      if (depth > 0) {
        --depth;
        emit(thread, EventKind::release, lock, 0, kShared);
      } else if (self.holds[lock] == 0 && free_for(lock, thread, true)) {
        ++depth;
        emit(thread, EventKind::acquire, lock, 1, kShared);
      }
    } else if (dice < 14) {
      if (self.holds[lock] != 1) return;
      self.waits = true;
      self.condition = kConditions;
      self.lock = lock;
      emit(thread, EventKind::wait, self.condition, lock);
      self.holds[lock] = 0;
      emit(thread, EventKind::release, lock, 0, kByWait);
    } else if (dice < 16) {
      emit(thread, EventKind::notify, kConditions, 1);
    } else if (dice < 18) {
      emit(thread, EventKind::signal, kSemaphores);
    } else {
      emit(thread, EventKind::await, kSemaphores);
    }
  }

  void wake(std::size_t thread) {
    Thread& self = threads_[thread];
    if (!free_for(self.lock, thread, false)) return;
    self.waits = false;
    emit(thread, EventKind::wake, self.condition, below(3) == 0 ? 1 : 0);
    self.holds[self.lock] = 1;
    emit(thread, EventKind::acquire, self.lock, 1, kByWait);
  }

  std::mt19937_64& random_;
  RandomTraceShape shape_;
  std::vector<Thread> threads_;
  std::vector<Event> events_;
};

}  // namespace

std::vector<Event> random_trace(std::mt19937_64& random, const RandomTraceShape& shape) {
  return Generator(random, shape).run();
}

std::string describe(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events)
    text += fmt::format("{:3} T{} {} {:#x}{} {} {}\n", event.step, raw(event.thread),
                        event_text(event.kind), event.object,
                        event.size != 0 ? fmt::format(":{}", event.size) : "", event.value,
                        event.flags);
  return text;
}

}  // namespace raddle
