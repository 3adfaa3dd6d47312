// One interleaving of the events that the histories know, step by step: the rules of memory, locks,
// condition variables, semaphores and threads, as the runtime has them. A schedule that the solver
// finds is executed here before the program executes it, and the tests compare the solver with all
// interleavings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/causal/histories.hpp"

namespace raddle::causal {

struct Move {
  ThreadIndex thread = 0;
  // kSignal with several threads that wait: whom it wakes, as its place among those that it could,
  // and their number. One or none: no choice.
  std::uint32_t woken = 0;
  std::uint32_t could_wake = 0;
  // Where the move leads, whatever the thread sees: somebody knows better. kNoNode: where what it
  // sees leads.
  NodeId to = kNoNode;

  bool operator==(const Move&) const = default;
};

class World {
 public:
  explicit World(const Histories& histories);

  NodeId at(ThreadIndex thread) const { return threads_[thread].at; }
  bool exists(ThreadIndex thread) const { return threads_[thread].begun; }

  // For who begins histories anew in the middle of an execution: what it has ended, what it holds
  // (how many times; negative: shared), who was told to wake up, memory and semaphores.
  bool has_ended(ThreadIndex thread) const { return threads_[thread].ended; }
  bool is_signalled(ThreadIndex thread) const { return threads_[thread].signalled; }
  std::vector<std::pair<std::uint64_t, int>> held(ThreadIndex thread) const;
  std::string bytes(std::uint64_t address, std::size_t size) const;
  std::uint32_t semaphore(std::uint64_t object) const;

  // Its next action is known and nothing keeps it from happening.
  bool can_move(ThreadIndex thread) const;
  // It is known what it waits for.
  bool is_blocked(ThreadIndex thread) const;
  // What its next action would see: success, and the bytes before.
  Event outlook(ThreadIndex thread) const;
  // The node after its next action; kNoNode: no execution has shown what comes of it.
  NodeId after(ThreadIndex thread) const;

  // Threads that wait for each other's locks, each for one that only the next one holds. Empty:
  // there are none.
  std::vector<ThreadIndex> lock_cycle() const;

  // Who could be woken by a signal to the condition variable, longest wait first.
  std::vector<ThreadIndex> wakeable(std::uint64_t object) const;

  // Executes the next action of a thread that can move, if after() or the move itself knows what
  // comes of it.
  void execute(const Move& move);

  // Equal for states that no thread could tell apart from now on.
  std::string key() const;

 private:
  struct Thread {
    NodeId at = kNoNode;
    bool begun = false;
    bool ended = false;
    bool signalled = false;
  };
  struct Lock {
    std::map<ThreadIndex, int> holders;  // how many times; negative: shared
  };

  std::optional<ThreadIndex> waits_for(ThreadIndex thread) const;
  bool free_for(ThreadIndex thread, const Action& action) const;
  const Action& next(ThreadIndex thread) const { return *h_.node(threads_[thread].at).next; }
  void release(ThreadIndex thread, std::uint64_t lock);

  const Histories& h_;
  std::vector<Thread> threads_;
  std::map<std::uint64_t, std::uint8_t> memory_;
  std::map<std::uint64_t, Lock> locks_;
  std::map<std::uint64_t, std::vector<ThreadIndex>> waiters_;
  std::map<std::uint64_t, std::uint32_t> semaphores_;
  bool exited_ = false;
};

}  // namespace raddle::causal
