// A report's operations, objects and threads in words. Called by describe() alone.
//
// The report was written by a process that may have been corrupt when it died, so every count is
// clamped to its array, every string to its field, and every value outside its enumeration has a
// text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/describe/object_places.hpp"
#include "host/process/execution.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

// The valid parts of the report's tables.
std::vector<const ThreadReport*> reported_threads(const Report& report);  // in use, one per id
std::span<const ObjectReport> reported_objects(const Report& report);
std::span<const Misuse> reported_misuses(const Report& report);

// A bool of the report may hold any byte; reading it as a bool would be undefined then.
bool is_set(const bool& field);

std::string thread_label(ThreadId id);  // "T2"

class Wording {
 public:
  // Both must outlive it.
  Wording(const Execution& execution, Symbolizer& symbols);

  // "mutex #2 `b'"; for a thread "T1". `cls` is used when the report has no entry for the object.
  std::string object(ObjectId id, ObjectClass cls) const;
  // The same, and for an object without a name where it was first used:
  // "mutex #2 (first used at bank.cpp:12)".
  std::string object_with_origin(ObjectId id, ObjectClass cls) const;

  // "lock mutex #1 `m'", "wake from condition variable #2 (timed out)".
  // `index` is the record's place in the choice log.
  std::string step(const StepRecord& record, std::uint64_t index) const;
  // The same with an object's name alone, where it has one: "lock m".
  std::string brief_step(const StepRecord& record, std::uint64_t index) const;
  // "waits to lock mutex #2 `b'"; `origin` as in object_with_origin().
  std::string waits(const ThreadReport& thread, bool origin) const;
  // That, and what else is known: ", held by T1", " (value 0)", ", with a deadline".
  std::string blocked(const ThreadReport& thread) const;
  // By the thread's state: the above, "was running", "was about to lock mutex #1", "ended".
  std::string doing(const ThreadReport& thread) const;
  // "T2 unlock mutex #1 `m': the mutex is held by another thread (bank.cpp:12)".
  std::string misuse(const Misuse& misuse) const;

  // Innermost frame of the program at these addresses; empty if there is none.
  Where program_place(std::span<const std::uint64_t> pcs, bool first_is_exact) const;
  // That for one return address; the plain frame if it is not the program's.
  Where site_place(std::uint64_t site) const;

  std::vector<ThreadId> holders(ObjectId id) const;

 private:
  const ObjectReport* find(ObjectId id) const;
  // Of the variable, field or heap object; empty if nothing is known.
  const PlacedName& object_name(ObjectId id) const;

  Symbolizer& symbols_;
  const Report* report_;
  mutable std::unordered_map<std::uint32_t, PlacedName> names_;
  std::unordered_map<std::uint32_t, const ObjectReport*> objects_;
  std::unordered_map<std::uint32_t, ThreadId> thread_objects_;
  std::unordered_map<std::uint32_t, std::uint64_t> first_sites_;
  // Index of a thread_create in the choice log -> the thread: they are numbered in that order.
  std::unordered_map<std::uint64_t, ThreadId> created_;
};

// What an operation acts on; ObjectClass::none where it acts on nothing that has a name.
ObjectClass class_of(OpKind op);

}  // namespace raddle
