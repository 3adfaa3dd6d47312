// The waits in which threads are at the end of an execution that hangs, and what they looked at
// before they waited. Used by the searches that explain a hang, on one finished trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/explain/events/storyteller.hpp"

namespace raddle {

struct FinalWait {
  ThreadId thread{};
  std::size_t end = 0;              // what it did before this event came before it waited
  std::optional<std::size_t> wait;  // the event, of a condition
  std::size_t since = 0;            // of a condition: when it took the lock
  const WaitingThread* line = nullptr;
};

class FinalWaits {
 public:
  // All three live longer.
  FinalWaits(const Failure& failure, const AccessHistory& history, Storyteller& teller);

  const std::vector<FinalWait>& all() const { return waits_; }

  // What the waiter looked at before it waited, newest first. Who waits on no condition has no lock
  // that it looks under: what it read in the function that waits.
  std::vector<Access> looks(const FinalWait& wait);
  // What it looked at before it took the lock that it waits with, in the function that waits.
  std::vector<Access> looks_without_lock(const FinalWait& wait);
  // The write is of another thread, and leaves another value than the look saw, if both are known.
  bool changes(const Access& write, const Access& look) const;

  // 0: it waits on none.
  std::uint64_t condition_of(const FinalWait& wait) const;
  // The last one.
  std::optional<std::size_t> notify_between(std::uint64_t condition, std::size_t from,
                                            std::size_t to) const;
  // The first one, of that thread if it is given.
  std::optional<std::size_t> next(std::size_t from, EventKind kind, std::uint64_t condition,
                                  std::optional<ThreadId> thread) const;

  // Where it waits, and on what: the last step. After Storyteller::look_at().
  void add_wait(Explanation& explanation, const FinalWait& wait) const;

 private:
  void find(const Failure& failure);

  const AccessHistory& history_;
  const std::vector<Event>& events_;
  Storyteller& teller_;
  std::vector<FinalWait> waits_;
};

}  // namespace raddle
