// The engine against the definition of 004 (definition 1): all instances of all 14 patterns, by
// trying every choice of accesses in the order of the trace.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "host/analysis/atomset/engine.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

// One access as the definition has it.
struct Access {
  int unit;
  ThreadIndex thread;
  SetNumber set;
  LocationKey location;
  bool write;
  std::uint32_t point;
};
// Set, pattern, l1, l2, the points where u and u' began. Of patterns at one location also those of
// the accesses, each the earliest that can follow the one before: what is said of a match.
using Instance = std::tuple<SetNumber, int, LocationKey, LocationKey, std::vector<std::uint32_t>>;
using Begins = std::map<int, std::uint32_t>;  // by unit

// Whether accesses [from..] continue a match of the pattern from its i-th access on: the first that
// does, with the points of its accesses.
bool match(const std::vector<Access>& trace, const Pattern& pattern, std::size_t from, int i, int u,
           int v, LocationKey l1, LocationKey l2, std::vector<std::uint32_t>& points) {
  if (i == pattern.length) return true;
  const PatternAccess& wanted = pattern.accesses[static_cast<std::size_t>(i)];
  for (std::size_t at = from; at < trace.size(); ++at) {
    const Access& access = trace[at];
    if (access.unit != (wanted.other ? v : u) || access.location != (wanted.second ? l2 : l1) ||
        access.write != wanted.write)
      continue;
    points.push_back(access.point);
    if (match(trace, pattern, at + 1, i + 1, u, v, l1, l2, points)) return true;
    points.pop_back();
  }
  return false;
}

std::set<Instance> brute_force(const std::vector<Access>& trace, Begins& begins) {
  std::set<Instance> found;
  std::map<SetNumber, std::vector<Access>> projections;
  for (const Access& access : trace) projections[access.set].push_back(access);
  for (const auto& [set, accesses] : projections) {
    std::map<int, ThreadIndex> units;
    std::set<LocationKey> locations;
    for (const Access& access : accesses) {
      units[access.unit] = access.thread;
      locations.insert(access.location);
    }
    for (const auto& [u, thread] : units)
      for (const auto& [v, other] : units)
        for (LocationKey l1 : locations)
          for (LocationKey l2 : locations)
            for (const Pattern& pattern : patterns()) {
              if (thread == other || (l1 == l2) != pattern.one_location()) continue;
              std::vector<std::uint32_t> points = {begins[u], begins[v]};
              if (!match(accesses, pattern, 0, 0, u, v, l1, l2, points)) continue;
              if (!pattern.one_location()) points.resize(2);
              found.insert({set, pattern.number, l1, l2, points});
            }
  }
  return found;
}

TEST(AtomicSetEngineOracle, FindsExactlyTheInstancesOfTheDefinition) {
  std::mt19937_64 random(4711);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  std::set<int> seen;
  const int traces = oracle_traces();
  for (int i = 0; i < traces; ++i) {
    // In every fourth trace the units of one thread do not end, and short ones come and go that
    // are often alike.
    const bool long_unit = i % 4 == 3;
    const std::uint64_t steps = long_unit ? 60 : 30;
    const int threads = long_unit ? 2 : 2 + below(3), sets = long_unit ? 1 : 1 + below(2);
    const int locations = 1 + below(3), places = long_unit ? 1 + below(2) : 2;
    std::set<Instance> found;
    bool steps_fit = true;
    AtomicSetEngine engine({}, [&](const AtomicSetMatch& match) {
      const Pattern& pattern = patterns()[static_cast<std::size_t>(match.pattern - 1)];
      std::vector<std::uint32_t> points = {raw(match.unit.point), raw(match.other.point)};
      if (pattern.one_location())
        for (const UnitAccess& access : match.accesses) points.push_back(raw(access.point));
      found.insert({match.set, match.pattern, match.first, match.second, points});
      steps_fit = steps_fit && match.accesses.size() == static_cast<std::size_t>(pattern.length);
      for (std::size_t k = 1; k < match.accesses.size(); ++k)
        steps_fit = steps_fit && match.accesses[k - 1].time < match.accesses[k].time;
    });
    struct Open {
      AtomicSetEngine::UnitNumber number;
      int unit;
    };
    std::map<std::pair<int, int>, Open> open;  // (thread, set)
    std::vector<Access> trace;
    Begins begins;
    std::string text;
    int units = 0;
    for (std::uint64_t time = 1; time <= steps; ++time) {
      const int thread = below(threads), set = below(sets);
      const auto at = open.find({thread, set});
      if (at != open.end() && below(long_unit ? 3 : 5) == 0 && !(long_unit && thread == 0)) {
        engine.close(at->second.number);
        open.erase(at);
        text += fmt::format("T{} S{} end\n", thread, set);
        continue;
      }
      if (at == open.end()) {
        const auto begin = static_cast<std::uint32_t>(below(places));
        begins[++units] = begin;
        open[{thread, set}] = {
            engine.open(SetNumber(set), ThreadIndex(thread), {time, 0, 0, PointId{begin}}), units};
      }
      const Open& unit = open[{thread, set}];
      const Access access{unit.unit,      ThreadIndex(thread),
                          SetNumber(set), LocationKey(0x100 * set + 8 * below(locations)),
                          below(2) == 0,  static_cast<std::uint32_t>(below(places))};
      trace.push_back(access);
      text += fmt::format("T{} u{} {}({:#x}) at {}\n", thread, unit.unit, access.write ? 'W' : 'R',
                          access.location, access.point);
      engine.access(unit.number, access.location, access.write,
                    {time, access.location, time, PointId{access.point}});
    }
    ASSERT_EQ(found, brute_force(trace, begins)) << "trace " << i << '\n' << text;
    ASSERT_TRUE(steps_fit) << "trace " << i << '\n' << text;
    for (auto& [where, unit] : open) engine.close(unit.number);
    ASSERT_EQ(engine.automata(), 0U);
    for (const Instance& instance : found) seen.insert(std::get<1>(instance));
  }
  if (traces >= 2000) {
    EXPECT_EQ(seen.size(), std::size_t(kPatterns));
  }
}

// Two units do the same, and what is left of them is the same in the end. But the long unit came
// between the accesses of the first one, and before those of the second: which matters when it
// comes to the second location.
TEST(AtomicSetEngine, KeepsUnitsApartThatTheLongOneCameBetween) {
  std::set<int> found;
  AtomicSetEngine engine({}, [&](const AtomicSetMatch& match) { found.insert(match.pattern); });
  std::uint64_t time = 0;
  const auto write = [&](AtomicSetEngine::UnitNumber unit, LocationKey location) {
    ++time;
    engine.access(unit, location, true, {time, location, time, kNoPoint});
  };
  const AtomicSetEngine::UnitNumber loop = engine.open(1, 0, {1, 0, 0, kNoPoint});
  const AtomicSetEngine::UnitNumber one = engine.open(1, 1, {1, 0, 0, kNoPoint});
  write(one, 8);
  write(loop, 8);
  write(one, 16);
  engine.close(one);
  const AtomicSetEngine::UnitNumber two = engine.open(1, 1, {time, 0, 0, kNoPoint});
  write(two, 8);
  write(two, 16);
  engine.close(two);
  write(loop, 8);
  ++time;
  engine.access(loop, 8, false, {time, 8, time, kNoPoint});
  EXPECT_EQ(found, (std::set<int>{4, 5}));
  write(loop, 16);
  EXPECT_EQ(found, (std::set<int>{4, 5, 6}));
  engine.close(loop);
}

// A thread's loop is one unit, another's rounds are 50,000: what is kept of them does not grow.
TEST(AtomicSetEngine, KeepsOneOfUnitsThatDidTheSameBesideALongOne) {
  int matches = 0;
  AtomicSetEngine engine({}, [&](const AtomicSetMatch&) { ++matches; });
  std::uint64_t time = 0;
  const auto access = [&](AtomicSetEngine::UnitNumber unit, LocationKey location, bool write) {
    ++time;
    engine.access(unit, location, write, {time, location, time, PointId{write ? 1U : 2U}});
  };
  const AtomicSetEngine::UnitNumber loop = engine.open(1, 0, {1, 0, 0, PointId{3}});
  for (int round = 0; round < 50'000; ++round) {
    const AtomicSetEngine::UnitNumber unit = engine.open(1, 1, {time, 0, 0, PointId{4}});
    for (LocationKey location = 8; location <= 64; location += 8) access(unit, location, false);
    access(unit, 8, true);
    engine.close(unit);
    access(loop, 8, false);
    access(loop, LocationKey(8 + 8 * (round % 4)), true);
  }
  EXPECT_GT(matches, 0);
  EXPECT_LT(engine.peak_automata(), 1000U);
  EXPECT_EQ(engine.refused(), 0U);
  engine.close(loop);
  EXPECT_EQ(engine.automata(), 0U);
}

}  // namespace
}  // namespace raddle
