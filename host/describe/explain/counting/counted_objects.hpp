// Semaphores, latches and barriers of an execution: what each began with, who posted it, counted it
// down or arrived there, and who went on past it. Those of POSIX tell it themselves; those of the
// C++ library are numbers that functions in its headers change. Used by explanations alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/describe/explanation.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

struct CountedObject {
  CountedKind kind{};
  std::uint64_t address = 0;          // of the number; of a std::barrier, of its phase
  std::optional<std::int64_t> start;  // of a barrier: how many it waits for
  std::optional<std::size_t> made;    // event: where that was written
  std::vector<std::size_t> posts;     // events: posts, counts down, arrivals
  std::vector<std::size_t> passes;    // events: takes it; finds a latch at 0; leaves a barrier
  std::vector<std::size_t> round;     // of a barrier: arrivals since everybody went on, last
  std::optional<std::int64_t> value;  // of a semaphore or latch, after the last event
  std::size_t most_in_round = 0;      // of a barrier
};

// Of the events of an execution whose library calls are folded (events/folded_calls.hpp).
class CountedObjects {
 public:
  explicit CountedObjects(const KeptTrace& trace);

  const std::vector<CountedObject>& all() const { return objects_; }
  // What lies there at the end; null: none.
  const CountedObject* at(std::uint64_t address) const;

 private:
  void learn();
  void on(std::size_t index);
  void on_number(std::size_t index);
  void on_phase(std::size_t index);
  void on_posix(std::size_t index);
  CountedObject& object(std::uint64_t address, CountedKind kind);
  CountedObject& renewed(std::uint64_t address, CountedKind kind);

  const KeptTrace& trace_;
  std::map<std::uint64_t, CountedKind> numbers_;     // of the C++ library, by address
  std::map<std::uint64_t, std::uint64_t> expected_;  // of std::barrier: phase, its number
  std::set<std::uint64_t> sizes_;                    // where those numbers are
  std::map<std::uint64_t, std::uint64_t> needed_;    // what that number was when one arrived
  std::map<std::uint64_t, std::size_t> written_;     // the last plain write of each, by address
  std::map<std::uint64_t, std::size_t> latest_;      // index of the object, by address
  std::map<std::pair<std::uint64_t, std::uint16_t>, std::uint64_t> arrived_in_;  // phase
  std::vector<CountedObject> objects_;
};

// Of which kind of the C++ library's objects a function in its headers works there.
std::optional<CountedKind> counted_kind(const Site& site);

// Threads that arrive at the barrier and are alive at the same time: the largest number of them.
std::size_t most_at_once(const CountedObject& barrier, const std::vector<Event>& events);

}  // namespace raddle
