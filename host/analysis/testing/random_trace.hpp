// Test helper: random small executions for the oracles. They are well-formed: locks exclude, a
// thread acts between its fork and its end, scopes nest. Event::step is the event's index in the
// trace, so that a finding's steps can be found again.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "protocol/event.hpp"

namespace raddle {

struct RandomTraceShape {
  int threads = 4;
  int events = 30;
  int variables = 3;  // words at kVariables, 8 bytes apart
  int locks = 2;
  bool synchronise = true;   // locks, conditions, semaphores, atomics
  bool parts = true;         // accesses to halves of words
  bool blocks = true;        // annotated atomic blocks
  bool long_scopes = false;  // blocks and units end late
  bool late_forks = false;   // threads are created in the middle
  int units = 0;             // annotated units on so many objects: kUnitObjects, 8 apart
};

inline constexpr std::uint64_t kVariables = 0x1000;
inline constexpr std::uint64_t kLocks = 0x2000;
inline constexpr std::uint64_t kConditions = 0x3000;
inline constexpr std::uint64_t kSemaphores = 0x4000;
inline constexpr std::uint64_t kUnitObjects = 0x5000;

std::vector<Event> random_trace(std::mt19937_64& random, const RandomTraceShape& shape);

// How many random traces an oracle looks at: RADDLE_ORACLE_TRACES, else 2,000.
inline int oracle_traces() {
  const char* text = std::getenv("RADDLE_ORACLE_TRACES");
  const int count = text != nullptr ? std::atoi(text) : 0;
  return count > 0 ? count : 2000;
}

// One line per event, for a test's message.
std::string describe(const std::vector<Event>& events);

}  // namespace raddle
