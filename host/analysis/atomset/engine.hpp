// Atomic-set serializability (004, sections 3.1 and 3.2) over sets, units and locations that
// somebody else has found: finds every instance of the 14 patterns between two units of different
// threads on one set, exactly, while the execution goes on.
//
// Automata belong to tuples (u, u', l1, l2), as in figure 5 of 004:
//   (u, *, l, *)    what u did to l: a Location of Unit
//   (u, u', l, *)   a summary: what u and u' did to l
//   (u, u', l1, l2) what they did to both
// create: deviates in when. The paper makes a tuple as soon as u' comes to a location of the set
//   after u was at another one, so there are as many as pairs of locations: for two threads that
//   sort the halves of an array, the square of its length. But no pattern is complete before both
//   units have shared at both of its locations, one of them writing. So a summary is made when they
//   meet at a location, and a tuple when they have shared at a second one, from what is remembered
//   of both.
// update: every stored tuple of the unit and the location, as in figure 5.
// collect: when a unit ends, its pairs keep only automata that can still reach their end by what
//   the other unit does; when both have ended, the pair goes. Goes beyond the paper in this: a unit
//   that is open for long (a thread's loop) would keep a pair for each unit that has ended since.
//   Of pairs with one open unit, and ended ones that did the same at the same places, in the same
//   order with it, and have the same left to match, one is kept: the others would match at the
//   same places only.
//
// Each unit keeps the accesses that a match can consist of: of each location, the first and last
// read and write in each turn, where a turn lasts until another thread uses the set. That is all
// that an automaton can tell apart, since within a turn only one thread's units move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "host/analysis/atomset/patterns.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/vector_clock.hpp"
#include "host/base/word_map.hpp"

namespace raddle {

using SetNumber = std::uint32_t;
using LocationKey = std::uint64_t;

// An access or the beginning of a unit, remembered.
struct UnitAccess {
  std::uint64_t time = 0;  // ExecutionState::events()
  std::uint64_t object = 0;
  std::uint64_t step = 0;
  PointId point{};
  UnitOrigin origin{};  // of a beginning
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

// Hears of the units and their accesses, beside the engine's own use of them.
class EngineTap {
 public:
  virtual void opened(std::uint32_t unit, SetNumber set, ThreadIndex thread,
                      const UnitAccess& entered) = 0;
  virtual void accessed(std::uint32_t unit, LocationKey location, bool write,
                        const UnitAccess& access) = 0;
  virtual void widened(std::uint32_t unit, const UnitAccess& entered) = 0;
  virtual void closed(std::uint32_t unit) = 0;
  virtual void discarded(std::uint32_t unit) = 0;  // it was none

 protected:
  ~EngineTap() = default;
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

  void set_tap(EngineTap* tap) { tap_ = tap; }

  // `tentative`: whether it is a unit is known later. Its matches wait until then.
  UnitNumber open(SetNumber set, ThreadIndex thread, const UnitAccess& entered,
                  bool tentative = false);
  // Whether a unit of this thread can be part of a match if it opens now, has one access, and ends.
  bool may_meet(SetNumber set, ThreadIndex thread) const;
  void access(UnitNumber unit, LocationKey location, bool write, const UnitAccess& access);
  // It began earlier than was thought when it was opened; what it accessed is the same.
  void widen(UnitNumber unit, const UnitAccess& entered);
  void close(UnitNumber unit);
  // A tentative unit is one; it was none.
  void settle(UnitNumber unit);
  void discard(UnitNumber unit);

  std::size_t automata() const { return automata_; }
  std::size_t peak_automata() const { return peak_; }
  std::uint64_t refused() const { return refused_; }  // automata not made because of the bound

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  struct Location {
    std::uint64_t read = 0, written = 0;  // times of the last ones; 0: none
    // Indices of its first and last record: [0] of reads, [1] of writes.
    std::uint32_t first[2] = {kNone, kNone};
    std::uint32_t last[2] = {kNone, kNone};
  };
  struct Record {
    UnitAccess access;
    std::uint64_t turn = 0;
    std::uint32_t previous = kNone;  // of the same location and kind
  };
  struct Kept {
    std::uint32_t pair = kNone;
    std::uint64_t serial = 0;  // of the pair
  };
  struct Unit {
    SetNumber set = 0;
    ThreadIndex thread = 0;
    bool open = false;
    bool tentative = false;
    bool awaited = false;  // by a match
    std::uint64_t serial = 0;
    std::uint64_t began = 0;  // the time of its first access
    UnitAccess entered;
    WordMap<Location> locations;
    std::vector<Record> records;
    std::vector<std::uint32_t> as_first, as_other;  // pairs
    // As long as it is open: pairs with units that have ended, by the locations where those were.
    // An array's elements, each of a unit of its own, are as many, and an access concerns few of
    // them.
    WordMap<std::vector<Kept>> kept_at;
    std::vector<Kept> kept;
    std::size_t kept_alive =
        0;  // the others have gone; they stay in the lists until there are many
  };
  struct Node {  // a location at which the two units of a pair have shared
    bool summarised = false;
    AutomataBits summary = 0;                        // (u, u', l, *)
    std::vector<std::uint32_t> as_first, as_second;  // tuples
  };
  struct Tuple {
    LocationKey first = 0, second = 0;
    AutomataBits bits = 0;
  };
  struct Pair {
    std::uint32_t unit = kNone, other = kNone;
    std::uint64_t since = 0;  // what u did until then does not count
    std::uint64_t serial = 0;
    std::uint32_t keeper = kNone;  // the unit that has it in its `kept`, if one has ended
    WordMap<Node> nodes;
    std::vector<LocationKey> shared;  // the locations of the nodes
    std::vector<Tuple> tuples;
    std::size_t automata = 0;
    // If one of the units has ended:
    std::size_t changes = 0;      // since collect() looked at it
    std::uint64_t signature = 0;  // what it is in `kept_`; 0: it is not there
  };
  struct Set {
    std::vector<UnitNumber> open;  // that have accessed it
    ThreadIndex last = kNone;      // whose turn it is
    std::uint64_t turn = 0;
  };

  void remember(Unit& unit, Set& set, LocationKey location, bool write, const UnitAccess& access);
  void update(Pair& pair, bool other, LocationKey location, bool write);
  std::uint32_t pair_of(UnitNumber first, UnitNumber other);
  bool room(Pair& pair);
  void meet(std::uint32_t pair, LocationKey location);
  AutomataBits replay(const Pair& pair, LocationKey first, LocationKey second);
  void create_tuple(Pair& pair, LocationKey first, LocationKey second);
  void collect(std::uint32_t pair);
  bool is_there(const Kept& kept) const { return pairs_[kept.pair].serial == kept.serial; }
  void keep(std::uint32_t pair);
  void tidy(Unit& keeper);
  std::vector<std::uint32_t> pairs_of(const Unit& unit) const;
  void forget(Pair& pair);
  std::uint64_t signature(const Pair& pair);
  void sign_gaps(const Unit& open, LocationKey location, std::uint64_t since, std::uint64_t& mixed);
  void drop(std::uint32_t pair);
  void recycle(UnitNumber unit);
  void report(const Pair& pair, LocationKey first, LocationKey second, AutomataBits matched);
  void await_units(const Pair& pair, AtomicSetMatch match);
  bool find(const Unit& unit, LocationKey location, bool write, std::uint64_t after,
            UnitAccess& found) const;

  // A match of a unit that is tentative, or of two.
  struct Waiting {
    std::uint64_t for_units[2] = {};  // their serials; 0: for nothing
    std::uint64_t place = 0;
    AtomicSetMatch match;
  };
  static constexpr std::size_t kMostWaiting = 10'000;

  EngineLimits limits_;
  OnMatch on_match_;
  std::vector<Waiting> waiting_;
  WordMap<bool> waiting_places_;
  CreatedAt created_at_;
  EngineTap* tap_ = nullptr;
  std::vector<Unit> units_;
  std::vector<UnitNumber> free_units_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> free_pairs_;
  WordMap<bool> kept_;                     // signatures of pairs
  std::vector<std::uint32_t> to_collect_;  // of access()
  struct Did {
    std::uint64_t time = 0;
    LocationKey location = 0;
    bool write = false;
    PointId point{};
  };
  std::vector<Did> did_;  // of signature(): by the unit that has ended
  WordMap<Set> sets_;
  std::size_t most_sets_ = 0;  // above that, those without a unit are dropped
  std::vector<std::pair<std::uint64_t, unsigned>> history_;  // of replay(): times, symbols
  std::size_t automata_ = 0;
  std::size_t peak_ = 0;
  std::size_t records_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t serials_ = 0;
  std::uint64_t pair_serials_ = 0;
};

}  // namespace raddle
