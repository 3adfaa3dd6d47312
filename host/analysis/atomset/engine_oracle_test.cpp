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
};
using Instance = std::tuple<SetNumber, int, LocationKey, LocationKey>;  // set, pattern, l1, l2

// Whether accesses [from..] continue a match of the pattern from its i-th access on.
void match(const std::vector<Access>& trace, const Pattern& pattern, std::size_t from, int i, int u,
           int v, LocationKey l1, LocationKey l2, std::set<Instance>& found) {
  if (i == pattern.length) {
    found.insert({trace[0].set, pattern.number, l1, pattern.one_location() ? l1 : l2});
    return;
  }
  const PatternAccess& wanted = pattern.accesses[static_cast<std::size_t>(i)];
  for (std::size_t at = from; at < trace.size(); ++at) {
    const Access& access = trace[at];
    if (access.unit == (wanted.other ? v : u) && access.location == (wanted.second ? l2 : l1) &&
        access.write == wanted.write)
      match(trace, pattern, at + 1, i + 1, u, v, l1, l2, found);
  }
}

std::set<Instance> brute_force(const std::vector<Access>& trace) {
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
            for (const Pattern& pattern : patterns())
              if (thread != other && (l1 != l2 || pattern.one_location()))
                match(accesses, pattern, 0, 0, u, v, l1, l2, found);
  }
  return found;
}

TEST(AtomicSetEngineOracle, FindsExactlyTheInstancesOfTheDefinition) {
  std::mt19937_64 random(4711);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  std::set<int> seen;
  const int traces = oracle_traces();
  for (int i = 0; i < traces; ++i) {
    const int threads = 2 + below(3), sets = 1 + below(2), locations = 1 + below(3);
    std::set<Instance> found;
    bool steps_fit = true;
    AtomicSetEngine engine({}, [&](const AtomicSetMatch& match) {
      found.insert({match.set, match.pattern, match.first, match.second});
      const Pattern& pattern = patterns()[static_cast<std::size_t>(match.pattern - 1)];
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
    std::string text;
    int units = 0;
    for (std::uint64_t time = 1; time <= 30; ++time) {
      const int thread = below(threads), set = below(sets);
      const auto at = open.find({thread, set});
      if (at != open.end() && below(5) == 0) {
        engine.close(at->second.number);
        open.erase(at);
        text += fmt::format("T{} S{} end\n", thread, set);
        continue;
      }
      if (at == open.end())
        open[{thread, set}] = {
            engine.open(SetNumber(set), ThreadIndex(thread), {time, 0, 0, kNoPoint}), ++units};
      const Open& unit = open[{thread, set}];
      const Access access{unit.unit, ThreadIndex(thread), SetNumber(set),
                          LocationKey(0x100 * set + 8 * below(locations)), below(2) == 0};
      trace.push_back(access);
      text += fmt::format("T{} u{} {}({:#x})\n", thread, unit.unit, access.write ? 'W' : 'R',
                          access.location);
      engine.access(unit.number, access.location, access.write,
                    {time, access.location, time, kNoPoint});
    }
    ASSERT_EQ(found, brute_force(trace)) << "trace " << i << '\n' << text;
    ASSERT_TRUE(steps_fit) << "trace " << i << '\n' << text;
    for (auto& [where, unit] : open) engine.close(unit.number);
    ASSERT_EQ(engine.automata(), 0U);
    for (const Instance& instance : found) seen.insert(std::get<1>(instance));
  }
  if (traces >= 2000) {
    EXPECT_EQ(seen.size(), std::size_t(kPatterns));
  }
}

}  // namespace
}  // namespace raddle
