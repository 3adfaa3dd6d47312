// The whole detector against the definition: units and sets from the scopes of the trace, then all
// instances of all patterns by trying every choice of accesses.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "host/analysis/atomset/atomset.hpp"
#include "host/analysis/atomset/testing/unit_oracle.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

using Instance =
    std::tuple<std::string, int, std::uint64_t, std::uint64_t>;  // set, pattern, l1, l2

// Variables 0 and 1, and the units' object 0, are set A; 2, 3 and object 1 are set B.
std::string set_of(std::uint64_t address) {
  if (address >= kUnitObjects) return address < kUnitObjects + 8 ? "A" : "B";
  return address < kVariables + 16 ? "A" : "B";
}

struct Access {
  std::size_t event;
  std::uint16_t thread;
  int unit;
  std::uint64_t location;
  bool write;
};

class Definition {
 public:
  Definition(const std::vector<Event>& events, bool split_at_wait, bool fork_orders)
      : events_(events), fork_orders_(fork_orders) {
    struct Scope {
      int id;
      std::string set;  // "": every set
    };
    std::map<std::uint16_t, std::vector<Scope>> scopes;
    std::map<std::uint16_t, const Event*> previous;
    int ids = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      std::vector<Scope>& open = scopes[raw(event.thread)];
      if (event.kind == EventKind::block_enter) open.push_back({++ids, ""});
      if (event.kind == EventKind::unit_enter) open.push_back({++ids, set_of(event.object)});
      if (event.kind == EventKind::block_exit || event.kind == EventKind::unit_exit)
        open.pop_back();
      // A barrier: a thread signals it and awaits it, and does nothing in between.
      const Event* last = std::exchange(previous[raw(event.thread)], &event);
      const bool barrier = event.kind == EventKind::await && last != nullptr &&
                           last->kind == EventKind::signal && last->object == event.object;
      if ((event.kind == EventKind::wait || barrier) && split_at_wait)
        for (Scope& scope : open) scope.id = ++ids;
      if (event.size == 0) continue;
      const std::string set = set_of(event.object);
      int unit = 0;
      for (const Scope& scope : open)  // the outermost
        if (unit == 0 && (scope.set.empty() || scope.set == set)) unit = scope.id;
      if (unit == 0) unit = ++ids;
      const bool update = event.kind == EventKind::atomic_update ||
                          (event.kind == EventKind::atomic_compare && event.flags == kSuccess);
      if (event.kind != EventKind::write)
        sets_[set].push_back({i, raw(event.thread), unit, event.object, false});
      if (event.kind == EventKind::write || update)
        sets_[set].push_back({i, raw(event.thread), unit, event.object, true});
    }
  }

  // With units that somebody else has found: of each access the number of its unit, if it has one.
  Definition(const std::vector<Event>& events, const std::vector<std::size_t>& units)
      : events_(events), fork_orders_(false) {
    int alone = -1;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].size == 0) continue;
      const int unit = units[i] != kNoUnit ? static_cast<int>(units[i]) : alone--;
      sets_[set_of(events[i].object)].push_back(
          {i, raw(events[i].thread), unit, events[i].object, events[i].kind == EventKind::write});
    }
  }

  std::set<Instance> instances() {
    std::set<Instance> found;
    for (const auto& [set, accesses] : sets_) {
      for (const Access& a : accesses)
        for (const Access& b : accesses) {
          if (a.thread == b.thread) continue;
          for (const std::uint64_t l2 :
               {kVariables, kVariables + 8, kVariables + 16, kVariables + 24})
            for (const Pattern& pattern : patterns()) {
              if (set_of(l2) != set || (l2 == a.location) != pattern.one_location()) continue;
              if (matches(accesses, pattern, a.unit, b.unit, a.location, l2, 0, 0,
                          created(a.thread, b.thread)))
                found.insert({set, pattern.number, a.location, l2});
            }
        }
    }
    return found;
  }

 private:
  // From the i-th access of the pattern on, in accesses[from...].
  static bool matches(const std::vector<Access>& accesses, const Pattern& pattern, int u, int v,
                      std::uint64_t l1, std::uint64_t l2, std::size_t i, std::size_t from,
                      std::size_t since) {
    if (i == static_cast<std::size_t>(pattern.length)) return true;
    const PatternAccess& wanted = pattern.accesses[i];
    for (std::size_t at = from; at < accesses.size(); ++at) {
      const Access& access = accesses[at];
      if (access.unit == (wanted.other ? v : u) && access.write == wanted.write &&
          access.location == (wanted.second ? l2 : l1) && access.event >= since &&
          matches(accesses, pattern, u, v, l1, l2, i + 1, at + 1, since))
        return true;
    }
    return false;
  }

  // When thread u created thread v, or one that created it, and so on.
  std::size_t created(std::uint16_t u, std::uint16_t v) const {
    if (!fork_orders_) return 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].kind != EventKind::fork || events_[i].value != v) continue;
      const std::uint16_t parent = raw(events_[i].thread);
      return parent == u ? i : created(u, parent);
    }
    return 0;
  }

  const std::vector<Event>& events_;
  bool fork_orders_;
  std::map<std::string, std::vector<Access>> sets_;
};

TEST(AtomicSetOracle, FindsExactlyTheInstancesOfTheDefinition) {
  std::mt19937_64 random(1848);
  const int traces = oracle_traces();
  std::set<int> seen;
  int silent = 0;
  for (int i = 0; i < traces; ++i) {
    RandomTraceShape shape;
    shape.threads = 2 + i % 3;
    shape.variables = 2 + i % 3;
    shape.units = 2;
    shape.parts = false;
    shape.blocks = i % 4 == 0;
    shape.synchronise = i % 2 == 0;
    shape.long_scopes = i % 7 < 3;
    shape.late_forks = i % 11 < 4;
    const std::vector<Event> events = random_trace(random, shape);

    AtomicSetOptions options;
    options.fork_orders = i % 3 != 0;
    options.units.split_at_wait = i % 5 != 0;
    Pipeline pipeline(AnalysisOptions{});
    auto detector = std::make_unique<AtomicSetDetector>(pipeline.state(), options);
    for (std::uint64_t k = 0; k < 4; ++k)
      detector->declare_set(kVariables + 8 * k, 8, set_of(kVariables + 8 * k));
    for (std::uint64_t k = 0; k < 2; ++k)
      detector->declare_set(kUnitObjects + 8 * k, 8, set_of(kUnitObjects + 8 * k));
    std::set<Instance> found;
    detector->on_match([&](const AtomicSetMatch& match, const std::string& set) {
      found.insert({set, match.pattern, match.first, match.second});
    });
    pipeline.add(std::move(detector));
    pipeline.begin({});
    pipeline.events(events);
    pipeline.end({});

    ASSERT_EQ(found,
              Definition(events, options.units.split_at_wait, options.fork_orders).instances())
        << "trace " << i << '\n'
        << describe(events);
    ASSERT_EQ(found.empty(), pipeline.findings().empty());
    silent += found.empty() ? 1 : 0;
    for (const Instance& instance : found) seen.insert(std::get<1>(instance));
  }
  // Nine traces of ten are silent; a hundred of them say little about the proportion.
  if (traces >= 2000) {
    EXPECT_EQ(seen.size(), std::size_t(kPatterns));
    EXPECT_GT(silent, traces / 20);
    EXPECT_LT(silent, traces * 19 / 20);
  }
}

// Calls of functions on objects, and accesses in them; some functions are public members of an
// object, some are called back.
constexpr int kFunctions = 8;
constexpr int kMembers = 3;  // the first ones

std::vector<Event> random_calls(std::mt19937_64& random, int threads) {
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  std::vector<Event> events;
  const auto emit = [&](int thread, EventKind kind, std::uint64_t object, std::uint64_t value) {
    Event event{};
    event.kind = kind;
    event.thread = ThreadId{static_cast<std::uint16_t>(thread)};
    event.step = events.size();
    event.object = object;
    event.value = value;
    events.push_back(event);
  };
  for (int thread = 1; thread < threads; ++thread)
    emit(0, EventKind::fork, 0, static_cast<std::uint64_t>(thread));
  std::vector<int> depths(static_cast<std::size_t>(threads));
  const int length = 10 + below(50);
  for (int i = 0; i < length; ++i) {
    const int thread = below(threads);
    int& depth = depths[static_cast<std::size_t>(thread)];
    const int dice = below(10);
    if (depth == 0 || (dice < 3 && depth < 5)) {
      const int function = below(kFunctions);
      const bool member = function < kMembers;
      emit(thread, EventKind::enter,
           member ? kUnitObjects + 8 * static_cast<std::uint64_t>(below(2)) : 0, 0);
      events.back().site = SiteId(static_cast<std::uint32_t>(function + 1));
      if (depth > 0 && below(12) == 0) events.back().flags = kCallback;
      ++depth;
    } else if (dice < 5) {
      emit(thread, EventKind::exit, 0, 0);
      --depth;
    } else {
      emit(thread, below(2) == 0 ? EventKind::read : EventKind::write,
           kVariables + 8 * static_cast<std::uint64_t>(below(4)), 0);
      events.back().size = 8;
    }
  }
  return events;
}

TEST(UnitOracle, AFunctionThatTouchesASetIsAUnitFromItsEntry) {
  std::mt19937_64 random(2008);
  const int traces = oracle_traces();
  std::set<int> seen;
  int silent = 0, from_entry = 0;
  for (int i = 0; i < traces; ++i) {
    const std::vector<Event> events = random_calls(random, 2 + i % 2);
    AtomicSetOptions options;
    options.fork_orders = options.units.split_at_wait = false;
    options.units.entry_units = i % 3 != 0;
    Pipeline pipeline(AnalysisOptions{});
    auto detector = std::make_unique<AtomicSetDetector>(pipeline.state(), options);
    for (std::uint64_t k = 0; k < 4; ++k)
      detector->declare_set(kVariables + 8 * k, 8, set_of(kVariables + 8 * k));
    for (std::uint64_t k = 0; k < 2; ++k)
      detector->declare_set(kUnitObjects + 8 * k, 8, set_of(kUnitObjects + 8 * k));
    std::set<Instance> found;
    detector->on_match([&](const AtomicSetMatch& match, const std::string& set) {
      found.insert({set, match.pattern, match.first, match.second});
      from_entry += match.unit.origin == UnitOrigin::function ? 1 : 0;
    });
    pipeline.add(std::move(detector));
    pipeline.begin({});
    for (int function = 0; function < kFunctions; ++function) {
      Site site;
      site.kind = EventKind::enter;
      site.flags = function < kMembers ? kSiteUnit : 0;
      site.frames.push_back({"f" + std::to_string(function), "random.cpp",
                             static_cast<std::uint32_t>(10 + function), 1});
      site.stable = stable_hash(site);
      pipeline.define_site(SiteId(static_cast<std::uint32_t>(function + 1)), site);
    }
    pipeline.events(events);
    pipeline.end({});

    UnitRules rules;
    rules.set_of = [](std::uint64_t address) { return std::uint64_t(set_of(address)[0]); };
    rules.is_member = [](const Event& enter) { return raw(enter.site) <= kMembers; };
    rules.entry_units = options.units.entry_units;
    ASSERT_EQ(found, Definition(events, units_of(events, rules)).instances())
        << "trace " << i << '\n'
        << describe(events);
    silent += found.empty() ? 1 : 0;
    for (const Instance& instance : found) seen.insert(std::get<1>(instance));
  }
  if (traces >= 2000) {
    EXPECT_EQ(seen.size(), std::size_t(kPatterns));
    EXPECT_GT(silent, traces / 20);
    EXPECT_LT(silent, traces * 19 / 20);
    EXPECT_GT(from_entry, traces / 20);
  }
}

}  // namespace
}  // namespace raddle
