// The lockset detector against its definition, worked out for each byte from the whole list of its
// accesses: Eraser's, since the last access that came after all others.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "host/analysis/lockset/lockset.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/order_oracle.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

using Locks = std::map<std::uint64_t, bool>;  // held; true: for reading

// What the thread of event i holds when it executes i.
Locks held_at(const std::vector<Event>& events, std::size_t i) {
  Locks held;
  for (std::size_t k = 0; k < i; ++k) {
    const Event& e = events[k];
    if (e.thread != events[i].thread) continue;
    if (e.kind == EventKind::acquire && e.value == 1) held[e.object] = (e.flags & kShared) != 0;
    if (e.kind == EventKind::release && e.value == 0) held.erase(e.object);
  }
  return held;
}

// The event at which the byte is reported, for each life of its memory.
std::set<std::pair<std::uint64_t, std::uint64_t>> eraser(const std::vector<Event>& events,
                                                         std::uint64_t byte) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> reports;
  const OrderOracle order(events, false);
  std::vector<std::size_t> accesses;  // of this life, since it was handed over
  bool reported = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    if ((e.kind == EventKind::allocate || e.kind == EventKind::free) && byte >= e.object &&
        byte < e.object + e.value) {
      accesses.clear();
      reported = false;
    }
    if (!is_access(e.kind)) continue;
    const bool range = e.kind == EventKind::read_range || e.kind == EventKind::write_range;
    if (byte < e.object || byte >= e.object + (range ? e.value : e.size)) continue;
    if (std::all_of(accesses.begin(), accesses.end(),
                    [&](std::size_t access) { return order.before(access, i); }) &&
        std::any_of(accesses.begin(), accesses.end(),
                    [&](std::size_t access) { return events[access].thread != e.thread; }))
      accesses.clear();
    accesses.push_back(i);
    // From the first access by a second thread on.
    const auto second = std::find_if(accesses.begin(), accesses.end(), [&](std::size_t access) {
      return events[access].thread != events[accesses.front()].thread;
    });
    std::optional<std::set<std::uint64_t>> candidates;  // none: all locks
    bool modified = false;
    for (auto access = second; access != accesses.end(); ++access) {
      const bool writes = events[*access].kind == EventKind::write ||
                          events[*access].kind == EventKind::write_range;
      modified = modified || writes;
      std::set<std::uint64_t> held;
      for (const auto& [lock, shared] : held_at(events, *access))
        if (!writes || !shared) held.insert(lock);
      if (!candidates) {
        candidates = held;
      } else {
        std::erase_if(*candidates, [&](std::uint64_t lock) { return held.count(lock) == 0; });
      }
    }
    if (!reported && modified && candidates && candidates->empty()) {
      reports.insert({byte, e.step});
      reported = true;
    }
  }
  return reports;
}

void compare_many(const RandomExecution& options) {
  std::uint64_t reporting = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed) {
    const TestTrace trace = random_execution(seed, options);
    Pipeline pipeline{AnalysisOptions{}};
    auto detector = std::make_unique<LocksetDetector>(pipeline.state());
    std::vector<LocksetDetector::Report> reports;
    detector->all_reports = &reports;
    pipeline.add(std::move(detector));
    trace.feed(pipeline);

    std::set<std::pair<std::uint64_t, std::uint64_t>> found, expected;
    for (const LocksetDetector::Report& report : reports)
      for (std::uint64_t i = 0; i < report.bytes; ++i)
        found.insert({report.address + i, report.step});
    for (std::uint64_t byte = 0x2000; byte < 0x2040; ++byte) {
      const auto bytes = eraser(trace.events, byte);
      expected.insert(bytes.begin(), bytes.end());
    }
    EXPECT_EQ(found, expected) << "seed " << seed << "\n" << describe(trace);
    reporting += reports.empty() ? 0 : 1;
  }
  EXPECT_GT(reporting, traces / 50);
  EXPECT_LT(reporting, traces - traces / 50);
}

TEST(LocksetOracle, WholeVariables) { compare_many({}); }

TEST(LocksetOracle, EverythingAtOnce) {
  RandomExecution options;
  options.parts = options.atomics = options.waits = options.blocks = options.memory = true;
  compare_many(options);
}

TEST(LocksetOracle, ShortThreads) {
  RandomExecution options;
  options.brief = true;
  options.threads = 8;
  options.events = 50;
  compare_many(options);
}

}  // namespace
}  // namespace raddle
