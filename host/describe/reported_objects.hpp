// A report's operations, objects and threads as data that no longer needs the report. Used by
// describe() alone.
//
// The report was written by a process that may have been corrupt when it died, so every count is
// clamped to its array, every string to its field, and enumerations may have any value.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "host/describe/failure.hpp"
#include "host/process/execution.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

// The valid parts of the report's tables.
std::vector<const ThreadReport*> reported_threads(const Report& report);  // in use, one per id
std::span<const ObjectReport> reported_objects(const Report& report);
std::span<const Misuse> reported_misuses(const Report& report);

// A bool of the report may hold any byte; reading it as a bool would be undefined then.
bool is_set(const bool& field);

class ReportedObjects {
 public:
  // Both must outlive it.
  ReportedObjects(const Execution& execution, Symbolizer& symbols);

  // `cls` is used when the report has no entry for the object.
  ObjectRef object(ObjectId id, ObjectClass cls) const;
  // `index` is the record's place in the choice log.
  StepLine step(const StepRecord& record, std::uint64_t index, Where where) const;
  // By the thread's state; `blocked` overrules it.
  Doing doing(const ThreadReport& thread, bool blocked) const;
  MisuseLine misuse(const Misuse& misuse) const;

  // Innermost frame of the program at these addresses; empty if there is none.
  Where program_place(std::span<const std::uint64_t> pcs, bool first_is_exact) const;
  // The same of one call, without a line if it is in a destructor that nobody wrote: that has the
  // line of the class, which is not where the object ends.
  Where end_place(std::uint64_t pc) const;

  // Of the object in that execution; 0 if the report has no entry for it.
  std::uint64_t address(ObjectId id) const;
  // Who holds it; nobody holds a thread.
  std::vector<ThreadId> holders(ObjectId id) const;

 private:
  // What is found out about an object once.
  struct Known {
    ObjectName name;
    Where first_used;
  };
  const ObjectReport* find(ObjectId id) const;
  const Known& known(ObjectId id) const;
  ObjectName name_of(const ObjectReport& object) const;
  Where first_use(ObjectId id, const ObjectReport* object) const;
  Doing blocked(const ThreadReport& thread) const;
  // That of the program, or else the plain frame.
  Where site_place(std::uint64_t site) const;

  Symbolizer& symbols_;
  const Report* report_;
  mutable std::unordered_map<std::uint32_t, Known> known_;
  std::unordered_map<std::uint32_t, const ObjectReport*> objects_;
  std::unordered_map<std::uint32_t, ThreadId> thread_objects_;
  std::unordered_map<std::uint32_t, std::uint64_t> first_sites_;
  // Index of a thread_create in the choice log -> the thread: they are numbered in that order.
  std::unordered_map<std::uint64_t, ThreadId> created_;
};

}  // namespace raddle
