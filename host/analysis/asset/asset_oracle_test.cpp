// Phase one against its definition: every choice of accesses of two units, with the relaxed order
// as reachability in a graph of all events, and locks by looking at every event in between.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "host/analysis/asset/asset.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

// Pattern, l1, l2, thread of u, thread of u'.
using Instance = std::tuple<int, std::uint64_t, std::uint64_t, std::uint16_t, std::uint16_t>;

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
  explicit Definition(const std::vector<Event>& events) : events_(events) {
    find_order();
    find_accesses();
  }

  std::set<Instance> instances() {
    for (const auto& [set, accesses] : sets_)
      for (const Pattern& pattern : patterns()) {
        std::vector<const Access*> chosen;
        choose(accesses, pattern, chosen);
      }
    return found_;
  }

 private:
  void find_order() {
    const std::size_t n = events_.size();
    before_.assign(n, std::vector<bool>(n, false));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const Event& a = events_[i];
        const Event& b = events_[j];
        const bool tells = a.kind == EventKind::notify || a.kind == EventKind::signal;
        const bool learns =
            (b.kind == EventKind::wake && b.value == 0) || b.kind == EventKind::await;
        before_[i][j] = a.thread == b.thread ||
                        (a.kind == EventKind::fork && a.value == raw(b.thread)) ||
                        (b.kind == EventKind::join && b.value == raw(a.thread)) ||
                        (tells && learns && a.object == b.object);
      }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; before_[i][k] && j < n; ++j)
          if (before_[k][j]) before_[i][j] = true;
  }

  void find_accesses() {
    struct Scope {
      int id;
      std::string set;  // "": every set
    };
    std::map<std::uint16_t, std::vector<Scope>> scopes;
    std::map<std::uint16_t, std::map<std::uint64_t, bool>> held;  // lock -> shared
    std::map<std::uint16_t, const Event*> last;
    int ids = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      std::vector<Scope>& open = scopes[raw(event.thread)];
      if (event.kind == EventKind::block_enter) open.push_back({++ids, ""});
      if (event.kind == EventKind::unit_enter) open.push_back({++ids, set_of(event.object)});
      if (event.kind == EventKind::block_exit || event.kind == EventKind::unit_exit)
        open.pop_back();
      // A barrier: a thread signals it and awaits it, and does nothing in between.
      const Event* before = std::exchange(last[raw(event.thread)], &event);
      const bool barrier = event.kind == EventKind::await && before != nullptr &&
                           before->kind == EventKind::signal && before->object == event.object;
      if (event.kind == EventKind::wait || barrier)
        for (Scope& scope : open) scope.id = ++ids;
      auto& own = held[raw(event.thread)];
      if (event.kind == EventKind::acquire && event.value == 1)
        own[event.object] = (event.flags & kShared) != 0;
      if (event.kind == EventKind::release && event.value == 0) own.erase(event.object);
      locks_.push_back(own);
      if (event.size == 0) continue;
      const std::string set = set_of(event.object);
      int unit = 0;
      for (const Scope& scope : open)
        if (unit == 0 && (scope.set.empty() || scope.set == set)) unit = scope.id;
      if (unit == 0) unit = ++ids;
      const bool update = event.kind == EventKind::atomic_update ||
                          (event.kind == EventKind::atomic_compare && event.flags == kSuccess);
      const bool store = event.kind == EventKind::write || event.kind == EventKind::atomic_store;
      if (!store) sets_[set].push_back({i, raw(event.thread), unit, event.object, false});
      if (store || update) sets_[set].push_back({i, raw(event.thread), unit, event.object, true});
    }
  }

  void choose(const std::vector<Access>& accesses, const Pattern& pattern,
              std::vector<const Access*>& chosen) {
    const std::size_t slot = chosen.size();
    if (slot == static_cast<std::size_t>(pattern.length)) {
      if (possible(pattern, chosen)) remember(pattern, chosen);
      return;
    }
    for (const Access& access : accesses) {
      if (access.write != pattern.accesses[slot].write) continue;
      chosen.push_back(&access);
      if (consistent(pattern, chosen)) choose(accesses, pattern, chosen);
      chosen.pop_back();
    }
  }

  static bool consistent(const Pattern& pattern, const std::vector<const Access*>& chosen) {
    const Access& last = *chosen.back();
    const PatternAccess& wanted = pattern.accesses[chosen.size() - 1];
    for (std::size_t i = 0; i + 1 < chosen.size(); ++i) {
      const PatternAccess& other = pattern.accesses[i];
      if ((chosen[i]->location == last.location) != (other.second == wanted.second)) return false;
      const bool same = other.other == wanted.other;
      if (same != (chosen[i]->unit == last.unit)) return false;
      if (!same && chosen[i]->thread == last.thread) return false;
    }
    return true;
  }

  bool possible(const Pattern& pattern, const std::vector<const Access*>& chosen) const {
    for (std::size_t i = 0; i < chosen.size(); ++i)
      for (std::size_t j = i + 1; j < chosen.size(); ++j) {
        const Access& a = *chosen[i];
        const Access& b = *chosen[j];
        if (a.unit != b.unit) {
          if (before_[b.event][a.event]) return false;
          continue;
        }
        if (a.event > b.event || (a.event == b.event && (a.write || !b.write))) return false;
        // Consecutive ones of a unit, with the other's in between.
        std::size_t between = 0;
        bool next = true;
        for (std::size_t k = i + 1; k < j; ++k) {
          if (pattern.accesses[k].other == pattern.accesses[i].other) next = false;
          ++between;
        }
        if (!next || between == 0) continue;
        if (a.event == b.event) return false;
        for (std::size_t k = i + 1; k < j; ++k)
          if (locked_out(a, b, *chosen[k])) return false;
      }
    return true;
  }

  bool locked_out(const Access& a, const Access& b, const Access& between) const {
    for (const auto& [lock, shared] : locks_[a.event]) {
      bool held = true;
      for (std::size_t i = a.event; i <= b.event; ++i)
        if (raw(events_[i].thread) == a.thread && locks_[i].count(lock) == 0) held = false;
      const auto theirs = locks_[between.event].find(lock);
      if (held && theirs != locks_[between.event].end() && !(shared && theirs->second)) return true;
    }
    return false;
  }

  void remember(const Pattern& pattern, const std::vector<const Access*>& chosen) {
    std::uint64_t first = 0, second = 0;
    std::uint16_t u = 0, v = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      (pattern.accesses[i].second ? second : first) = chosen[i]->location;
      (pattern.accesses[i].other ? v : u) = chosen[i]->thread;
    }
    found_.insert({pattern.number, first, second, u, v});
  }

  const std::vector<Event>& events_;
  std::vector<std::vector<bool>> before_;
  std::vector<std::map<std::uint64_t, bool>> locks_;  // held by the event's thread, after it
  std::map<std::string, std::vector<Access>> sets_;
  std::set<Instance> found_;
};

TEST(AssetOracle, InfersExactlyWhatTheDefinitionAllows) {
  std::mt19937_64 random(2010);
  const int traces = oracle_traces();
  std::set<int> seen;
  int silent = 0;
  for (int i = 0; i < traces; ++i) {
    RandomTraceShape shape;
    shape.threads = 2 + i % 3;
    shape.events = 24 + i % 12;
    shape.variables = 2 + i % 3;
    shape.units = 2;
    shape.parts = false;
    shape.blocks = i % 4 == 0;
    shape.synchronise = i % 5 != 0;
    shape.long_scopes = i % 7 < 4;
    shape.late_forks = i % 11 < 6;
    const std::vector<Event> events = random_trace(random, shape);

    Pipeline pipeline(AnalysisOptions{});
    auto detector = std::make_unique<AssetDetector>(pipeline.state());
    for (std::uint64_t k = 0; k < 4; ++k)
      detector->sets().declare_set(kVariables + 8 * k, 8, set_of(kVariables + 8 * k));
    for (std::uint64_t k = 0; k < 2; ++k)
      detector->sets().declare_set(kUnitObjects + 8 * k, 8, set_of(kUnitObjects + 8 * k));
    std::set<Instance> found;
    detector->on_choice = [&](const Pattern& pattern, std::span<const UnitAccess> accesses) {
      std::uint64_t first = 0, second = 0;
      std::uint16_t u = 0, v = 0;
      for (std::size_t k = 0; k < accesses.size(); ++k) {
        (pattern.accesses[k].second ? second : first) = accesses[k].object;
        (pattern.accesses[k].other ? v : u) = raw(events[accesses[k].step].thread);
      }
      found.insert({pattern.number, first, second, u, v});
    };
    pipeline.add(std::move(detector));
    pipeline.begin({});
    pipeline.events(events);
    pipeline.end({});
    ASSERT_EQ(found, Definition(events).instances()) << "trace " << i << '\n' << describe(events);
    silent += found.empty() ? 1 : 0;
    for (const Instance& instance : found) seen.insert(std::get<0>(instance));
  }
  if (traces >= 2000) {
    EXPECT_EQ(seen.size(), std::size_t(kPatterns));
  }
  EXPECT_GT(silent, traces / 50);
  EXPECT_LT(silent, traces * 19 / 20);
}

}  // namespace
}  // namespace raddle
