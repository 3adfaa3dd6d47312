// What a detector says: plain data, no logic. Printers (report/) turn it into text and JSON;
// hunting for it (confirmation) matches steps by site and calling context.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/event.hpp"

namespace raddle {

// X(identifier, name in JSON and on the command line)
#define RADDLE_FINDING_KINDS(X)         \
  X(race, "race")                       \
  X(lockset, "lockset")                 \
  X(atomicity, "atomicity")             \
  X(serializability, "serializability") \
  X(atomic_set, "atomic-set")           \
  X(lock_order, "lock-order")

enum class FindingKind : std::uint8_t {
#define RADDLE_FINDING_ENUM(name, text) name,
  RADDLE_FINDING_KINDS(RADDLE_FINDING_ENUM)
#undef RADDLE_FINDING_ENUM
};
const char* finding_kind_text(FindingKind kind);

enum class FindingLevel : std::uint8_t { kCandidate, kConfirmed, kFailing };

// One step of one thread. Steps are in the order in which they were executed.
struct FindingStep {
  Event event{};
  std::string role;                // "enters the block", "commits", "reads", ...; a few words
  std::string object;              // name of event.object at that moment
  std::vector<std::string> locks;  // names of the locks held, outermost first
  std::vector<SiteId> stack;       // enter sites, innermost first
};

struct Finding {
  FindingKind kind{};
  FindingLevel level = FindingLevel::kCandidate;
  int pattern = 0;     // atomic_set: 1-14
  std::string what;    // one sentence, with names
  std::string why;     // why this pattern is a problem
  std::string object;  // the object or set it is about; for lock_order: the locks, "a -> b -> a"
  std::vector<FindingStep> steps;
  // Findings with the same place are one, `count` times: hash of kind, pattern and the steps'
  // stable sites. Shown in hexadecimal as the finding's id.
  std::uint64_t place = 0;
  std::uint64_t count = 1;
};

}  // namespace raddle
