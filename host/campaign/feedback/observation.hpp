// What one execution showed, from its choice log alone: who saw what. The log has the place, the
// operation and the object of each step, so nothing has to be recorded for it, and the same
// execution shows the same.
//
// Memory and synchronisation are alike here (protocol/uses.hpp): a read sees the last write of its
// object, or what was there at the beginning (place 0). In an unmodified program the objects are
// those of synchronisation: which release an acquisition followed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/choice_log.hpp"

namespace raddle {

// `write` is 0 for what was there at the beginning.
struct ReadsFrom {
  std::uint64_t read = 0;  // places: StepRecord::site
  std::uint64_t write = 0;
  auto operator<=>(const ReadsFrom&) const = default;
};

// The places that used one object, each list sorted.
struct UsedBy {
  std::vector<std::uint64_t> reads;
  std::vector<std::uint64_t> writes;
  std::vector<std::uint64_t> claims;
  bool operator==(const UsedBy&) const = default;
};

struct Observation {
  std::vector<ReadsFrom> reads_from;  // sorted, each once
  std::vector<UsedBy> objects;        // those that several threads used, each kind of use once
  // Hashes of everything that was seen, sorted, each once: the pairs above, the orders of
  // operations of two threads on one object, and which wait a signal ended.
  std::vector<std::uint64_t> seen;
};

Observation observe(std::span<const StepRecord> log);

}  // namespace raddle
