// All pairs of places that race in an execution. The race detector (race.hpp) says what a person
// has to read: the first race of a location, and leaves the location alone after that. But a place
// that races is a decision point of every later execution (host/campaign/profile/racing_sites.hpp),
// and there the second race of a location counts as much as the first: a thread that spins on one
// of two flags must be interrupted at both.
//
// A pair of places races if some access at the one and some access at the other, of two threads,
// touch a common byte, at least one writes, they are not both atomic, and neither happens before
// the other. Volatile accesses are not atomic here: in whichever way they are meant, their order
// matters. To free a block is to write it, and races with what comes before it and after it until
// the memory is allocated again. So does the free of a block that is older than the trace.
//
// A location keeps, for each thread and place, the last access. That is enough: who knows the last
// one knows those before it, so if any of them is unordered with a later access of another thread,
// the last one is. The number of accesses kept is bounded; beyond it a location keeps the latest,
// and cut() says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "host/analysis/race/ordered_accesses.hpp"
#include "host/analysis/shadow/pooled_lists.hpp"
#include "host/analysis/shadow/shadow_map.hpp"

namespace raddle {

class AllRaces final : public OrderedAccesses {
 public:
  explicit AllRaces(ExecutionState& state, std::size_t at_most = kMostAccesses);
  std::vector<Finding> take_findings() override { return {}; }

  // The smaller site first. To free a block is a write of it, at the place of the call.
  const std::set<std::pair<SiteId, SiteId>>& pairs() const { return pairs_; }
  // Those of them with plain or volatile accesses, or that free: what is not atomic.
  const std::set<SiteId>& plain() const { return plain_; }
  // Accesses were forgotten, so pairs may be missing.
  bool cut() const { return cut_; }

 private:
  static constexpr std::size_t kMostAccesses = std::size_t{1} << 22;
  static constexpr std::uint64_t kMostFreed = 4096;  // of a block: the rest was not freed for us

  struct Access {
    Epoch epoch;
    SiteId site{};
    bool writes = false;
    bool atomic = false;
    // Whose place, and as what: the later one of two such replaces the earlier.
    bool same_place(const Access& other) const {
      return site == other.site && epoch.thread() == other.epoch.thread() &&
             writes == other.writes && atomic == other.atomic;
    }
  };

 public:
  // For the shadow map. The first access is in the cell itself: most memory has one place, or one
  // thread that comes to it again and again from the same one.
  struct Cell {
    Access first;            // epoch.none(): nobody was here
    std::uint32_t more = 0;  // in lists_, 0: none
  };
  Cell clone(const Cell& cell);
  void drop(Cell& cell);

 private:
  void access(const Event& event, Manner manner) override;
  void free_own(const Event& event) override;
  // A place too many costs executions, a place too few schedules that nobody goes through.
  void free_early(const Event& event) override { free_own(event); }
  void renew(const Event& event) override;
  void look(const Cell& cell, const Access& now, const VectorClock& clock);
  void look(const Access& earlier, const Access& now, const VectorClock& clock);
  void keep(Cell& cell, const Access& now);

  ShadowMap<Cell, AllRaces> shadow_;
  PooledLists<Access> lists_;
  std::size_t at_most_;
  bool cut_ = false;
  std::set<std::pair<SiteId, SiteId>> pairs_;
  std::set<SiteId> plain_;
};

}  // namespace raddle
