// What two units of work leave behind in memory, and whether two executions of them leave the same.
//
// Compared are the objects that both units use, in any of the executions. They are compared up to
// order: places in memory that one instruction of the program accesses are elements of one thing,
// of which it does not matter which is where (the entries of a log, the ids in a table). Addresses
// are all alike, and times do not count, nor do elements that are alive in one execution and not in
// another. What cannot be seen does not count either: bytes that a call of memcpy wrote, or that
// nobody had accessed before.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/campaign/harm/observed_run.hpp"

namespace raddle {

// The accesses of an execution, as far as they count: its heap, and who belongs to which unit.
struct UnitRun {
  const ObservedRun* run = nullptr;
  std::uint64_t end = 0;  // both units are over after so many decisions
  // The access is one of a unit: 0 or 1, else nothing.
  std::function<std::optional<int>(const ObservedAccess&)> unit_of;
};

// One object, or the elements of one.
struct LeftValue {
  std::uint64_t address = 0;      // the smallest; for its name
  std::vector<std::string> left;  // for each run: "3", or "1, 2" for several elements
};

// Objects of which the first run leaves something else than another one, or than a third; each
// with what all runs left. `same[i]`: run i left what the first run did, in all objects.
struct LeftDifference {
  std::vector<LeftValue> objects;
  std::vector<bool> same;
  std::size_t compared = 0;  // objects
};

LeftDifference compare_left(const std::vector<UnitRun>& runs);

}  // namespace raddle
