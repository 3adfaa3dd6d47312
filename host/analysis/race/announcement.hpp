// By which atomic variable a thread could know that the other one was done with the memory that
// they race for: the other wrote it after its access, and the thread read what was written there
// before its own. With release and acquire the two accesses would be ordered; with less they are
// not, and that is why they race.
//
// Two updates of one variable by both (statistics, ids) announce nothing, unless what comes after
// is the free of the memory: then they count references.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"

namespace raddle {

class Announcements final : public Detector {
 public:
  // `places`: stable sites of the accesses that may race.
  Announcements(ExecutionState& state, std::vector<std::uint64_t> places);
  EventKinds ignores() const override { return kScopes; }
  bool wants_blocks() const override { return false; }
  void on_event(const Event& event) override;
  std::vector<Finding> take_findings() override { return {}; }

  // The store and the load, the last ones before the later access; none: there is no such variable.
  // `race` was found in this execution.
  std::vector<FindingStep> of(const Finding& race) const;

 private:
  struct Access {
    ThreadIndex thread = 0;
    std::uint64_t event = 0;  // counts events
    PointId point{};
    std::uint64_t step = 0;
    bool updates = false;  // reads and writes in one
  };
  struct Heard {  // a thread read what another one had written
    std::uint64_t address = 0;
    Access stored, loaded;
    std::vector<FindingStep> steps;  // of both, if it may be asked for: things have their names now
  };
  // Accesses at the places that race, by what a finding knows of them.
  struct Spot {
    std::uint32_t thread = 0;
    std::uint32_t site = 0;
    std::uint64_t step = 0;
    auto operator<=>(const Spot&) const = default;
  };
  struct Times {
    std::uint64_t first = 0, last = 0;  // events
  };

  static Spot spot(const Event& event) { return {raw(event.thread), raw(event.site), event.step}; }
  Access access_of(const Event& event);
  void load(const Event& event, const Access& access);
  void forget(std::uint64_t address, std::uint64_t bytes);
  void come_to(const Event& event);
  const Heard* between(const Event& earlier, const Event& later) const;

  ExecutionState& state_;
  std::set<std::uint64_t> places_;
  std::map<std::uint64_t, Access> stores_;  // the last one that changed something, by address
  std::vector<Heard> heard_;                // the first load of each store by each thread
  std::set<std::pair<std::uint64_t, ThreadIndex>> known_;    // event of the store, who loaded it
  std::map<ThreadIndex, std::vector<std::size_t>> unnamed_;  // of heard_: without steps yet
  std::map<Spot, Times> times_;
};

}  // namespace raddle
