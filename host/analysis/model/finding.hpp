// What a detector says: plain data, no logic. Printers (report/) turn it into text and JSON;
// hunting for it (confirmation) matches steps by site and calling context.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/event.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

// What the rest may ask of a kind of finding.
struct FindingKindEntry {
  const char* name;  // in JSON, in files and on the command line
  // Where it stands among the others, the worst first: a race is wrong in the language itself, a
  // deadlock stops the program; then what really happened before what might; a lockset alone is
  // the weakest evidence.
  int rank;
  // The strategies that bring it about, and so the way in which it is confirmed.
  Confirms confirmed_by = Confirms::kNothing;
};

// X(identifier, the entry): a new kind is one line.
#define RADDLE_FINDING_KINDS(X)                                                         \
  X(race, .name = "race", .rank = 0, .confirmed_by = Confirms::kRaces)                  \
  X(lockset, .name = "lockset", .rank = 5)                                              \
  X(atomicity, .name = "atomicity", .rank = 4, .confirmed_by = Confirms::kAtomicity)    \
  X(serializability, .name = "serializability", .rank = 3)                              \
  X(atomic_set, .name = "atomic-set", .rank = 2, .confirmed_by = Confirms::kAtomicSets) \
  X(lock_order, .name = "lock-order", .rank = 1, .confirmed_by = Confirms::kDeadlocks)

enum class FindingKind : std::uint8_t {
#define RADDLE_FINDING_ENUM(identifier, ...) identifier,
  RADDLE_FINDING_KINDS(RADDLE_FINDING_ENUM)
#undef RADDLE_FINDING_ENUM
};
std::span<const FindingKindEntry> finding_kinds();  // in the order of the enum
const FindingKindEntry& entry_of(FindingKind kind);
inline const char* finding_kind_text(FindingKind kind) { return entry_of(kind).name; }
std::optional<FindingKind> find_finding_kind(std::string_view name);

// What a step does in the finding: X(identifier, text in JSON and in sentences)
#define RADDLE_FINDING_ROLES(X)                         \
  X(reads, "reads")                                     \
  X(writes, "writes")                                   \
  X(updates, "updates")                                 \
  X(accesses, "accesses")                               \
  X(atomically_reads, "atomically reads")               \
  X(atomically_writes, "atomically writes")             \
  X(acquires, "acquires")                               \
  X(acquires_for_reading, "acquires for reading")       \
  X(releases, "releases")                               \
  X(takes_lock, "takes the lock")                       \
  X(takes_in_between, "takes it in between")            \
  X(takes_again, "takes it again")                      \
  X(creates_thread, "creates the thread")               \
  X(joins_thread, "joins the thread")                   \
  X(begins, "begins")                                   \
  X(ends, "ends")                                       \
  X(waits_on, "waits on")                               \
  X(wakes_up_from, "wakes up from")                     \
  X(notifies, "notifies")                               \
  X(signals, "signals")                                 \
  X(awaits, "awaits")                                   \
  X(is_at, "is at")                                     \
  X(enters_block, "enters the block")                   \
  X(enters_atomic_block, "enters the atomic block")     \
  X(enters_unit, "enters the unit")                     \
  X(commits_at_acquire, "commits at acquire")           \
  X(commits_at_release, "commits at release")           \
  X(commits_at_atomic, "commits at atomic access")      \
  X(commits_at_write, "commits at unprotected write")   \
  X(commits_at_read, "commits at unprotected read")     \
  X(violates_at_acquire, "violates at acquire")         \
  X(violates_at_release, "violates at release")         \
  X(violates_at_atomic, "violates at atomic access")    \
  X(violates_at_write, "violates at unprotected write") \
  X(violates_at_read, "violates at unprotected read")

enum class FindingRole : std::uint8_t {
#define RADDLE_FINDING_ROLE(name, text) name,
  RADDLE_FINDING_ROLES(RADDLE_FINDING_ROLE)
#undef RADDLE_FINDING_ROLE
};
const char* finding_role_text(FindingRole role);

// The step begins a block, a unit of work or a function that is to be one.
bool is_entry(FindingRole role);

enum class FindingLevel : std::uint8_t { kCandidate, kConfirmed, kFailing };

// One step of one thread. Steps are in the order in which they were executed.
struct FindingStep {
  Event event{};
  FindingRole role{};
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
