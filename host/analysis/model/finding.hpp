// What a detector says: plain data, no logic. Printers (report/) turn it into text and JSON;
// hunting for it (confirmation) matches steps by site and calling context.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/symbols/site.hpp"
#include "protocol/event.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

// What has to be true besides what was seen, for a finding of a kind to be a mistake.
enum class RestsOn : std::uint8_t {
  kNothing,     // it is wrong by the language, or stops the program
  kUnits,       // somebody means the units of work, or the blocks, to be atomic
  kDiscipline,  // somebody means one lock to guard the variable
};

// What the rest may ask of a kind of finding.
struct FindingKindEntry {
  const char* name;  // in JSON, in files and on the command line
  // Where it stands among the others, the worst first: a race is wrong in the language itself, a
  // deadlock stops the program; then what really happened before what might; a lockset alone is
  // the weakest evidence.
  int rank;
  // The strategies that bring it about, and so the way in which it is confirmed.
  Confirms confirmed_by = Confirms::kNothing;
  RestsOn rests_on = RestsOn::kNothing;
};

// X(identifier, the entry): a new kind is one line, the last: its number is in the ids of findings,
// which people keep in files.
#define RADDLE_FINDING_KINDS(X)                                                         \
  X(race, .name = "race", .rank = 1, .confirmed_by = Confirms::kRaces)                  \
  X(lockset, .name = "lockset", .rank = 6, .rests_on = RestsOn::kDiscipline)            \
  X(atomicity, .name = "atomicity", .rank = 5, .confirmed_by = Confirms::kAtomicity,    \
    .rests_on = RestsOn::kUnits)                                                        \
  X(serializability, .name = "serializability", .rank = 4, .rests_on = RestsOn::kUnits) \
  X(atomic_set, .name = "atomic-set", .rank = 3, .confirmed_by = Confirms::kAtomicSets, \
    .rests_on = RestsOn::kUnits)                                                        \
  X(lock_order, .name = "lock-order", .rank = 2, .confirmed_by = Confirms::kDeadlocks)  \
  X(use_after_free, .name = "use-after-free", .rank = 0, .confirmed_by = Confirms::kRaces)

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
  X(frees, "frees")                                     \
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
  X(commits_at_fork, "commits at thread creation")      \
  X(commits_at_post, "commits at post")                 \
  X(commits_at_atomic, "commits at atomic access")      \
  X(commits_at_write, "commits at unprotected write")   \
  X(commits_at_read, "commits at unprotected read")     \
  X(violates_at_acquire, "violates at acquire")         \
  X(violates_at_release, "violates at release")         \
  X(violates_at_join, "violates at join")               \
  X(violates_at_wait, "violates at wait")               \
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

// How much is known of it, from the least to the most. X(identifier, text in JSON and files)
#define RADDLE_FINDING_LEVELS(X)                                                          \
  X(kCandidate, "candidate") /* predicted */                                              \
  X(kSeen, "seen")           /* it happened; it rests on an inference, and did no harm */ \
  X(kHarmful, "harmful")     /* the same, and no serial order leaves what it left */      \
  X(kConfirmed, "confirmed") /* it happened, and is wrong whatever somebody meant */      \
  X(kFailing, "failing")     /* an execution failed by it */

enum class FindingLevel : std::uint8_t {
#define RADDLE_FINDING_LEVEL(name, text) name,
  RADDLE_FINDING_LEVELS(RADDLE_FINDING_LEVEL)
#undef RADDLE_FINDING_LEVEL
};
const char* finding_level_text(FindingLevel level);
std::optional<FindingLevel> find_finding_level(std::string_view text);

// Why a stretch of one thread is taken for one unit, which others should not see half done.
// X(identifier, text in JSON)
#define RADDLE_UNIT_ORIGINS(X)                                                            \
  X(access, "access")                   /* a single access, in no unit */                 \
  X(annotated, "annotated")             /* a block, a unit or a function that says so */  \
  X(member_function, "member function") /* a call of one of the object's own functions */ \
  X(function, "function")               /* it touches the data itself */                  \
  X(joint_calls, "joint calls")         /* it calls several functions of the object */    \
  X(lock_region, "lock region")         /* as long as it holds a lock */                  \
  X(lock_twice, "lock twice")           /* a function that takes the lock more than once */

enum class UnitOrigin : std::uint8_t {
#define RADDLE_UNIT_ORIGIN(name, text) name,
  RADDLE_UNIT_ORIGINS(RADDLE_UNIT_ORIGIN)
#undef RADDLE_UNIT_ORIGIN
};
const char* unit_origin_text(UnitOrigin origin);

struct FindingUnit {
  ThreadId thread{};
  UnitOrigin origin{};
  std::string name;        // the function, or the block's name; "" if it has none
  std::uint64_t step = 0;  // Event::step of what began it
};

// Behind the name of a lock that is held for reading.
inline constexpr const char* kForReading = " (shared)";

// One step of one thread. Steps are in the order in which they were executed.
struct FindingStep {
  Event event{};
  FindingRole role{};
  std::string object;              // name of event.object at that moment
  std::vector<std::string> locks;  // names of the locks held, outermost first
  std::vector<SiteId> stack;       // enter sites, innermost first
  std::vector<std::uint64_t>
      calls;                      // where each of them was called: return addresses, 0 if inlined
  std::vector<SiteFrame> frames;  // of the event's own site
};

struct Finding {
  FindingKind kind{};
  FindingLevel level = FindingLevel::kCandidate;
  int pattern = 0;     // atomic_set: 1-14
  std::string what;    // one sentence, with names
  std::string why;     // why this pattern is a problem
  std::string object;  // the object or set it is about; for lock_order: the locks, "a -> b -> a"
  std::vector<FindingStep> steps;
  // The units that interleave, the one that is seen half done first. Empty for kinds that have
  // none.
  std::vector<FindingUnit> units;
  bool declared = false;  // an annotation says that the units, or the set, are meant so
  // Findings with the same place are one, `count` times: hash of kind, pattern and the steps'
  // stable sites. Shown in hexadecimal as the finding's id.
  std::uint64_t place = 0;
  std::uint64_t count = 1;
  // race, lockset: what synchronises in this process and was not seen doing it. Not empty: this may
  // be ordered by it, so it is not certain.
  std::vector<std::string> maybe_ordered_by;
  // race: both accesses are volatile, or one is and the other is atomic. Not certain, either: the
  // authors may mean relaxed atomic operations.
  bool meant_as_atomic = false;
  // race: the store of the pointer by which the later thread came to the memory, and its load; or
  // nothing (race/publication.hpp).
  std::vector<FindingStep> published;
  // race: of an atomic variable that tells nothing but that the earlier thread is done; or nothing
  // (race/announcement.hpp). Not beside `published`.
  std::vector<FindingStep> announced;
  // atomicity: of a block that is merely inferred, and only because it creates threads and joins
  // them: shown if everything is asked for.
  bool minor = false;
};

// It is a mistake only if somebody meant what Raddle takes for granted.
bool rests_on_inference(const Finding& finding);

}  // namespace raddle
