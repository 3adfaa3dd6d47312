// What a user can choose of an analysis; plain data. Every detector reads its part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace raddle {

// Where atomic blocks come from; any combination.
struct BlockSources {
  bool annotated = true;   // raddle::atomic blocks, functions annotated as atomic
  bool locks = true;       // a region that holds a lock
  bool functions = false;  // units of work
};

struct AnalysisOptions {
  std::vector<std::string> detectors;  // names in the registry; empty: all of them
  BlockSources atomic;
  // The detectors are shared out among at most so many threads; 1: all run where the events come
  // from. Findings do not depend on it.
  std::size_t threads = 1;
  std::size_t max_problems = 100;  // kept messages about a malformed stream

  // atomizer. Locks that one thread alone uses, and locks that are always taken under another, are
  // both-movers. Off: every acquire is a right-mover, as 000 reads the Atomizer (figure 3).
  bool refine_locks = true;

  // deadlock. Longest cycle looked for, in locks.
  std::uint32_t max_cycle = 8;
  // deadlock. Bound on the work of the search for cycles, in edges tried.
  std::uint64_t max_cycle_search = 2'000'000;

  // atomset. Memory that an object allocates inside its own units belongs to its atomic set until
  // something outside them uses it.
  bool ownership = true;
  // atomset. Where 004 gives false alarms, see atomset.hpp: what a thread was created for is a unit
  // as other functions are; a wait on a condition or at a barrier ends units; what came before a
  // thread's creation does not interleave with it.
  bool entry_units = false;
  bool split_at_wait = true;
  bool fork_orders = true;
  // atomset. Bound on the race automata that exist at a time, some 60 bytes each.
  std::size_t max_automata = std::size_t{1} << 20;
};

}  // namespace raddle
