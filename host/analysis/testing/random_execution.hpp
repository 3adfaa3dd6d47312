// Test helper: random small executions for the oracles of what looks at every kind of event
// (random_trace.hpp has a smaller repertoire). Well-formed: locks exclude each other as
// they should, blocks and functions nest, waits release and reacquire their lock. A test compares a
// detector with a brute-force definition on thousands of them.
#pragma once

#include <cstdint>

#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {

struct RandomExecution {
  int threads = 4;
  int events = 30;
  int locks = 3;       // the last one is a reader-writer lock
  int variables = 3;   // of 8 bytes
  bool parts = false;  // accesses to parts of variables, atomic ones too, and across two neighbours
  bool atomics = false;
  bool waits = false;
  bool blocks = false;      // annotated blocks and functions
  bool memory = false;      // allocate and free
  bool allocating = false;  // with `memory`: much of it, of blocks at few places
  bool order = true;        // signal and await
  bool semaphores = false;  // instead of these: one is a lock mostly, one hands over mostly
  bool own_sites = false;   // every event has a site of its own
  bool locking = false;     // hardly anything but locks
  bool brief = false;       // threads are created, end and are joined all the time
  bool flags = false;       // hardly anything but atomic operations on one flag, and accesses
};

// The same for the same seed and options, on every machine.
TestTrace random_execution(std::uint64_t seed, const RandomExecution& options);

// One line for each event, for the message of a disagreement.
std::string describe(const TestTrace& trace);

}  // namespace raddle
