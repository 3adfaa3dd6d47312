// The relaxed happens-before relation of 002, section 4.1.1: what the program orders explicitly
// (create, join, notify before wake; here semaphores, barriers and once flags too) and each
// thread's own order. Edges by locks and by memory are dropped: what they order in this execution
// may come in another order in the next.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/analysis/model/execution_state.hpp"
#include "protocol/event.hpp"

namespace raddle {

class RelaxedOrder {
 public:
  explicit RelaxedOrder(const ExecutionState& state) : state_(state) {}

  void on_event(const Event& event);

  // A moment of a thread, to be compared later.
  struct Moment {
    ThreadIndex thread = 0;
    std::uint32_t clock = 0;  // index of a remembered clock
  };
  Moment now(ThreadIndex thread);
  // a happens before b; for different threads.
  bool before(Moment a, Moment b) const;

 private:
  using Clock = std::vector<std::uint32_t>;
  struct Thread {
    Clock clock;
    std::uint32_t kept = 0;  // index of the copy, plus 1; 0: it changed since
  };
  Thread& thread(ThreadIndex index);
  void learn(ThreadIndex index, const Clock& from);
  void tell(ThreadIndex index, Clock& to);

  const ExecutionState& state_;
  std::vector<Thread> threads_;
  std::unordered_map<std::uint64_t, Clock> objects_;  // conditions and what else signals
  std::vector<Clock> kept_;
};

}  // namespace raddle
