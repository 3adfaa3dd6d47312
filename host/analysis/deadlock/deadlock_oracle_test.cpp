// The deadlock detector against the definition: all tuples of acquire events that form a cycle,
// with what each thread holds and what is ordered by fork, join, signals and notifies worked out
// anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "host/analysis/deadlock/deadlock.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

using Cycles = std::set<std::vector<std::string>>;

class Oracle {
 public:
  explicit Oracle(const std::vector<Event>& events) : events_(events), n_(events.size()) {
    before_.assign(n_, std::vector<bool>(n_, false));
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t i = 0; i < j; ++i) before_[i][j] = edge(events[i], events[j]);
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_ && before_[i][k]; ++j)
          if (before_[k][j]) before_[i][j] = true;
    for (std::size_t i = 0; i < n_; ++i)
      if (events[i].kind == EventKind::acquire && events[i].value == 1 && !held(i).empty())
        acquires_.push_back(i);
    std::vector<std::size_t> tuple;
    enumerate(tuple);
  }
  Cycles cycles;

 private:
  static bool edge(const Event& a, const Event& b) {
    return a.thread == b.thread || (a.kind == EventKind::fork && raw(b.thread) == a.value) ||
           (b.kind == EventKind::join && raw(a.thread) == b.value) ||
           (a.kind == EventKind::signal && b.kind == EventKind::await && a.object == b.object) ||
           (a.kind == EventKind::notify && b.kind == EventKind::wake && a.object == b.object &&
            b.value == 0);
  }

  // In order of acquisition; true: for reading.
  std::vector<std::pair<std::uint64_t, bool>> held(std::size_t i) const {
    std::vector<std::pair<std::uint64_t, bool>> locks;
    for (std::size_t k = 0; k < i; ++k) {
      const Event& e = events_[k];
      if (e.thread != events_[i].thread) continue;
      if (e.kind == EventKind::acquire && e.value == 1)
        locks.emplace_back(e.object, (e.flags & kShared) != 0);
      if (e.kind == EventKind::release && e.value == 0)
        std::erase_if(locks, [&](const auto& lock) { return lock.first == e.object; });
    }
    return locks;
  }

  bool compatible(std::size_t i, std::size_t j) const {
    if (events_[i].thread == events_[j].thread || before_[i][j] || before_[j][i]) return false;
    for (const auto& [a, a_shared] : held(i))
      for (const auto& [b, b_shared] : held(j))
        if (a == b && !(a_shared && b_shared)) return false;
    return true;
  }

  bool waits(std::size_t i, std::size_t j) const {
    for (const auto& [lock, shared] : held(j))
      if (lock == events_[i].object && !(shared && (events_[i].flags & kShared) != 0)) return true;
    return false;
  }

  void enumerate(std::vector<std::size_t>& tuple) {
    if (tuple.size() > 1) {
      bool cycle = true;
      for (std::size_t i = 0; i < tuple.size(); ++i)
        cycle = cycle && waits(tuple[i], tuple[(i + 1) % tuple.size()]);
      if (cycle) add(tuple);
    }
    for (std::size_t next : acquires_) {
      if (!std::all_of(tuple.begin(), tuple.end(),
                       [&](std::size_t other) { return compatible(other, next); }))
        continue;
      tuple.push_back(next);
      enumerate(tuple);
      tuple.pop_back();
    }
  }

  void add(const std::vector<std::size_t>& tuple) {
    std::vector<std::string> keys;
    for (std::size_t i : tuple) {
      std::string key = "T" + std::to_string(raw(events_[i].thread)) + "{";
      for (const auto& [lock, shared] : held(i)) key += hex(lock) + (shared ? " " : "! ");
      keys.push_back(key + "}" + hex(events_[i].object) +
                     ((events_[i].flags & kShared) != 0 ? "" : "!"));
    }
    std::sort(keys.begin(), keys.end());
    cycles.insert(keys);
  }

  static std::string hex(std::uint64_t number) {
    char text[20];
    std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(number));
    return text;
  }

  const std::vector<Event>& events_;
  std::size_t n_;
  std::vector<std::vector<bool>> before_;
  std::vector<std::size_t> acquires_;
};

void compare_many(const RandomExecution& shape, std::uint64_t at_least) {
  std::uint64_t cyclic = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  std::size_t longest = 0;
  for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed) {
    const TestTrace trace = random_execution(seed, shape);
    Pipeline pipeline{AnalysisOptions{}};
    auto detector = std::make_unique<DeadlockDetector>(pipeline.state(), AnalysisOptions{});
    std::vector<std::vector<std::string>> all;
    detector->all_cycles = &all;
    pipeline.add(std::move(detector));
    trace.feed(pipeline);
    const Cycles found(all.begin(), all.end());
    EXPECT_EQ(found, Oracle(trace.events).cycles) << "seed " << seed << "\n" << describe(trace);
    EXPECT_EQ(found.empty(), pipeline.findings().empty());
    cyclic += found.empty() ? 0 : 1;
    for (const auto& cycle : found) longest = std::max(longest, cycle.size());
  }
  EXPECT_GE(cyclic, at_least);
  // About one trace in 500 has a cycle of three.
  if (traces >= 2000) {
    EXPECT_GE(longest, 3U);
  }
}

RandomExecution shape(int locks, int events) {
  RandomExecution shape;
  shape.locks = locks;
  shape.events = events;
  shape.waits = true;
  shape.locking = true;
  return shape;
}

TEST(DeadlockOracle, AllCycles) {
  compare_many(shape(4, 40), static_cast<std::uint64_t>(oracle_traces()) / 200);
}

TEST(DeadlockOracle, LongerTraces) {
  compare_many(shape(4, 60), static_cast<std::uint64_t>(oracle_traces()) / 40);
}

}  // namespace
}  // namespace raddle
