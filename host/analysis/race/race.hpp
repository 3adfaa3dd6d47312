// Happens-before races by the FastTrack algorithm (Flanagan and Freund, PLDI 2009): exact for the
// execution. Two accesses race if they touch a common byte, at least one writes, they are not both
// atomic, and neither happens before the other (happens_before.hpp).
//
// A location is a byte; bytes that were always accessed together share their state
// (shadow/shadow_map.hpp). It has the epoch of its last write and the epoch of its last read, or,
// once reads are concurrent, a list of reads of which none happens before another. Beyond the
// paper:
//   - atomic accesses: those need not be ordered among themselves, so both their reads and their
//     writes are kept as such lists;
//   - volatile accesses count as relaxed atomic ones (model/volatile_access.hpp). That two of them,
//     or one and an atomic one, are unordered is a race in the language all the same: it is
//     reported as one that rests on what volatile is meant to be, and the location goes on;
//   - to free a block counts as a write of all of it, if code that Raddle sees allocated and frees
//     it;
//   - the first race of a location is reported and the location is left alone after that, until its
//     memory is allocated anew: what comes after a race is no longer defined by the language
//     (all_races.hpp has them all);
//   - each epoch comes with where it was (a PointId), for the report. Repeated accesses by the same
//     thread in the same epoch keep the first.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "host/analysis/model/finding_set.hpp"
#include "host/analysis/model/options.hpp"
#include "host/analysis/race/ordered_accesses.hpp"
#include "host/analysis/shadow/shadow_map.hpp"

namespace raddle {

class RaceDetector final : public OrderedAccesses {
 public:
  explicit RaceDetector(ExecutionState& state);
  std::vector<Finding> take_findings() override { return findings_.take(); }

  // Tests see every race, not only one for each place: the earlier access and the later event.
  struct Race {
    Event earlier;
    Event later;
    std::uint64_t address = 0;  // of the first byte that they race on
    std::uint64_t bytes = 0;
  };
  std::vector<Race>* all_races = nullptr;

 private:
  // An access that may still race with a later one.
  struct Access {
    Epoch epoch;
    PointId point{};
    std::uint32_t step = 0;  // its lower half: see whole_step()
  };
  struct Lists {
    std::vector<Access> reads;  // when concurrent
    std::vector<Access> atomic_reads;
    std::vector<Access> atomic_writes;
  };

 public:
  struct Cell {
    Epoch write;
    Epoch read;
    PointId write_point{};
    PointId read_point{};
    std::uint32_t write_step = 0;
    std::uint32_t read_step = 0;
    std::uint32_t lists = 0;  // number + 1 in lists_, 0: none
    bool raced = false;
  };
  // For the shadow map.
  Cell clone(const Cell& cell);
  void drop(Cell& cell);

 private:
  // The current access, with what every cell it touches needs.
  struct Now {
    const Event& event;
    const VectorClock& clock;
    Access access;
    bool atomic = false;
    bool is_volatile = false;  // then it is atomic, too
  };
  void access(const Event& event, Manner manner) override;
  void free_own(const Event& event) override;
  void renew(const Event& event) override;
  void read(Cell& cell, const Now& now);
  void write(Cell& cell, const Now& now);
  void atomic(Cell& cell, const Now& now, bool writes);
  // The latest of them that the current access does not know; null if there is none.
  const Access* unknown(const std::vector<Access>& list, const Now& now) const;
  static void insert(std::vector<Access>& list, const Now& now);
  bool races_with_write(Cell& cell, const Now& now);
  bool races_with_read(Cell& cell, const Now& now);
  void report_volatile(const Lists& lists, const Now& now, bool writes);
  bool report(Cell& cell, const Now& now, Access earlier);
  void describe(const Now& now, const Access& earlier, std::uint64_t address, bool both_atomic);
  Lists& lists(Cell& cell);
  void drop_lists(Cell& cell);

  ShadowMap<Cell, RaceDetector> shadow_;
  std::vector<Lists> lists_;
  std::vector<std::uint32_t> unused_lists_;
  FindingSet findings_;
  // The segment under way, for the report.
  std::uint64_t segment_ = 0;
  std::uint64_t segment_bytes_ = 0;
  bool reported_ = false;                       // for the current event
  bool meets_volatile_ = false;                 // the program has volatile accesses
  std::unordered_set<std::uint64_t> volatile_;  // pairs of sites whose race was reported as such
};

std::unique_ptr<Detector> make_race_detector(ExecutionState& state, const AnalysisOptions& options);

}  // namespace raddle
