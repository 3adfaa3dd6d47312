// Atomic-set serializability (004, sections 3.1 and 3.2) over sets, units and locations that
// somebody else has found: finds every instance of the 14 patterns between two units of different
// threads on one set, exactly, while the execution goes on.
//
// Automata belong to tuples (u, u', l1, l2), as in figure 5 of 004:
//   (u, *, l, *)    what u did to l; here, the times of its last read and write: a Location of Unit
//   (u, u', l, *)   a summary: what u and u' did to l
//   (u, u', l1, l2) made from a summary when an access tells them apart
// create: deviates in that a tuple is stored only once its automata differ from those of the
//   summary that it would be copied from; until then the summary stands for it. Two units that only
//   read make none.
// update: every stored tuple of the unit and the location, as in figure 5.
// collect: when a unit ends, its pairs keep only automata that can still reach their end by what
//   the other unit does; when both have ended, the pair goes.
//
// For the report each unit keeps the accesses that a match can consist of: of each location, the
// first and last read and write in each turn, where a turn lasts until another unit uses the set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/atomset/patterns.hpp"
#include "analysis/vector_clock.hpp"
#include "analysis/word_map.hpp"
#include "analysis/world.hpp"

namespace raddle {

using SetNumber = std::uint32_t;
using LocationKey = std::uint64_t;

// An access or the beginning of a unit, remembered.
struct UnitAccess {
  std::uint64_t time = 0;  // World::events()
  std::uint64_t object = 0;
  std::uint64_t step = 0;
  PointId point{};
};

struct AtomicSetMatch {
  SetNumber set = 0;
  int pattern = 0;                    // 1-14
  LocationKey first = 0, second = 0;  // l1 and l2; equal for patterns 1-5
  UnitAccess unit, other;             // where u and u' began
  std::vector<UnitAccess> accesses;   // in order; fewer than the pattern's if the bound was hit
};

struct EngineLimits {
  std::size_t max_automata = std::size_t{1} << 20;  // tuples and summaries at a time
  std::size_t max_accesses = std::size_t{1} << 20;  // remembered for reports
};

class AtomicSetEngine {
 public:
  using UnitNumber = std::uint32_t;
  using OnMatch = std::function<void(const AtomicSetMatch&)>;

  AtomicSetEngine(EngineLimits limits, OnMatch on_match);

  // The unit `u` of its thread did nothing that can interleave with thread `u'` before the time
  // that this gives: when its own thread created that of u', or an ancestor of it. 0: no such time.
  using CreatedAt = std::function<std::uint64_t(ThreadIndex u, ThreadIndex other)>;
  void set_created_at(CreatedAt created_at) { created_at_ = std::move(created_at); }
  // The thread of the unit created one at this time.
  void fork(UnitNumber unit, std::uint64_t time) { units_[unit].forked = time; }

  UnitNumber open(SetNumber set, ThreadIndex thread, const UnitAccess& entered);
  void access(UnitNumber unit, LocationKey location, bool write, const UnitAccess& access);
  void close(UnitNumber unit);

  std::size_t automata() const { return automata_; }
  std::size_t peak_automata() const { return peak_; }
  std::uint64_t refused() const { return refused_; }  // automata not made because of the bound

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  struct Location {
    std::uint64_t read = 0, written = 0;  // times of the last ones; 0: none
    std::uint32_t last = kNone;           // index of its last record
  };
  struct Record {
    UnitAccess access;
    std::uint64_t turn = 0;
    std::uint32_t previous = kNone;  // of the same location
    bool write = false;
  };
  struct Unit {
    SetNumber set = 0;
    ThreadIndex thread = 0;
    bool open = false;
    std::uint64_t forked = 0;  // its thread's last fork
    UnitAccess entered;
    WordMap<Location> locations;
    std::vector<LocationKey> reads, writes;  // in order; again after a fork
    std::vector<Record> records;
    std::vector<std::uint32_t> as_first, as_other;  // pairs
  };
  struct Node {  // a location of a pair
    std::uint32_t id = kNone;
    bool summarised = false;
    AutomataBits summary = 0;                        // (u, u', l, *)
    std::vector<std::uint32_t> as_first, as_second;  // tuples
    // How many of u's reads and writes the accesses of u' to this location have met, by kind.
    std::uint32_t writes_met_by_read = 0, writes_met_by_write = 0, reads_met_by_write = 0;
  };
  struct Tuple {
    LocationKey first = 0, second = 0;
    AutomataBits bits = 0;
  };
  struct Pair {
    std::uint32_t unit = kNone, other = kNone;
    std::uint64_t since = 0;  // what u did until then does not count
    WordMap<Node> nodes;
    WordMap<std::uint32_t> index;  // (id of l1, id of l2) -> tuple
    std::vector<Tuple> tuples;
    std::size_t automata = 0;
  };
  struct Set {
    std::vector<UnitNumber> open;  // that have accessed it
    UnitNumber last = kNone;
    std::uint64_t turn = 0;
  };

  void remember(Unit& unit, Set& set, LocationKey location, bool write, const UnitAccess& access);
  void update(std::uint32_t pair, bool other, LocationKey location, bool write);
  void create(UnitNumber first, UnitNumber other, LocationKey location, bool write);
  std::uint32_t pair_of(UnitNumber first, UnitNumber other);
  Node& node(Pair& pair, LocationKey location);
  bool room(Pair& pair);
  AutomataBits before(const Pair& pair, LocationKey location) const;
  void create_tuple(Pair& pair, LocationKey first, LocationKey second, bool write);
  void prune(std::uint32_t pair, bool first_ended);
  void drop(std::uint32_t pair);
  void recycle(UnitNumber unit);
  void report(const Pair& pair, LocationKey first, LocationKey second, AutomataBits matched);
  bool find(const Unit& unit, LocationKey location, bool write, std::uint64_t after,
            UnitAccess& found) const;

  EngineLimits limits_;
  OnMatch on_match_;
  CreatedAt created_at_;
  std::vector<Unit> units_;
  std::vector<UnitNumber> free_units_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> free_pairs_;
  WordMap<Set> sets_;
  std::size_t automata_ = 0;
  std::size_t peak_ = 0;
  std::size_t records_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace raddle
