// FastTrack against the definition: every pair of conflicting accesses to a byte looked at.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/race/race.hpp"
#include "host/analysis/testing/order_oracle.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

class Oracle {
 public:
  explicit Oracle(const std::vector<Event>& events)
      : events_(events), n_(events.size()), order_(events) {}

  // A block that begins there was allocated, and not freed since.
  bool frees_block(const Event& e) const {
    bool lives = false;
    for (const Event& other : events_) {
      if (&other == &e) break;
      if (other.object != e.object) continue;
      if (other.kind == EventKind::allocate) lives = true;
      if (other.kind == EventKind::free) lives = false;
    }
    return lives;
  }

  bool touches(const Event& e, std::uint64_t byte) const {
    std::uint64_t bytes = 0;
    if (e.kind == EventKind::read_range || e.kind == EventKind::write_range ||
        (e.kind == EventKind::free && frees_block(e)))
      bytes = e.value;
    else if (is_access(e.kind) || atomic_access(e))
      bytes = e.size;
    return byte >= e.object && byte < e.object + bytes;
  }

  bool conflict(const Event& a, const Event& b) const {
    if (atomic_access(a) && atomic_access(b)) return false;
    return stores(a) || stores(b);
  }

  static bool stores(const Event& e) {
    return e.kind == EventKind::write || e.kind == EventKind::write_range ||
           e.kind == EventKind::free || atomic_stores(e);
  }

  bool race(std::size_t i, std::size_t j, std::uint64_t byte) const {
    return touches(events_[i], byte) && touches(events_[j], byte) &&
           conflict(events_[i], events_[j]) && !order_.before(i, j);
  }

  // By byte: the first event that races there, for each life of the memory.
  std::set<std::pair<std::uint64_t, std::size_t>> first_races() const {
    std::set<std::pair<std::uint64_t, std::size_t>> found;
    for (std::uint64_t byte = 0x2000; byte < 0x3020; byte == 0x2040 ? byte = 0x3000 : ++byte) {
      std::size_t born = 0;
      bool raced = false;
      for (std::size_t j = 0; j < n_; ++j) {
        const Event& e = events_[j];
        const bool inside = byte >= e.object && byte < e.object + e.value;
        if (inside && e.kind == EventKind::allocate) {
          born = j;
          raced = false;
        }
        for (std::size_t i = born; i < j && !raced; ++i) {
          if (!race(i, j, byte)) continue;
          found.insert({byte, j});
          raced = true;
        }
        if (inside && e.kind == EventKind::free) {
          born = j + 1;
          raced = false;
        }
      }
    }
    return found;
  }

 private:
  const std::vector<Event>& events_;
  std::size_t n_;
  OrderOracle order_;
};

void compare(std::uint64_t seed, const RandomExecution& options, std::uint64_t& racy) {
  const TestTrace trace = random_execution(seed, options);
  Pipeline pipeline{AnalysisOptions{}};
  auto detector = std::make_unique<RaceDetector>(pipeline.state());
  std::vector<RaceDetector::Race> races;
  detector->all_races = &races;
  pipeline.add(std::move(detector));
  trace.feed(pipeline);
  ASSERT_TRUE(pipeline.problems().empty()) << pipeline.problems()[0] << "\n" << describe(trace);

  const Oracle oracle(trace.events);
  std::set<std::pair<std::uint64_t, std::size_t>> found;
  for (const RaceDetector::Race& race : races) {
    // Steps are the events' places in these traces.
    for (std::uint64_t byte = race.address; byte < race.address + race.bytes; ++byte) {
      const std::size_t i = race.earlier.step, j = race.later.step;
      ASSERT_LT(i, j);
      if (!oracle.touches(trace.events[j], byte)) continue;
      found.insert({byte, j});
      EXPECT_TRUE(oracle.race(i, j, byte))
          << "seed " << seed << ": no race of " << i << " and " << j << "\n"
          << describe(trace);
      EXPECT_EQ(trace.events[i].kind, race.earlier.kind);
      EXPECT_EQ(trace.events[i].site, race.earlier.site);
    }
  }
  EXPECT_EQ(found, oracle.first_races()) << "seed " << seed << "\n" << describe(trace);
  EXPECT_EQ(pipeline.findings().empty(), races.empty());
  racy += races.empty() ? 0 : 1;
}

void compare_many(const RandomExecution& options) {
  std::uint64_t racy = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed)
    compare(seed, options, racy);
  // The oracle must have something to say: neither almost never nor almost always.
  EXPECT_GT(racy, traces / 50);
  EXPECT_LT(racy, traces - traces / 50);
}

TEST(RaceOracle, WholeVariablesAndLocks) { compare_many({}); }

TEST(RaceOracle, EverythingAtOnce) {
  RandomExecution options;
  options.parts = options.atomics = options.waits = options.blocks = options.memory = true;
  compare_many(options);
  options.allocating = true;
  options.events = 50;
  compare_many(options);
}

TEST(RaceOracle, Flags) {
  RandomExecution options;
  options.atomics = options.flags = true;
  options.variables = 8;
  options.threads = 3;
  options.events = 30;
  compare_many(options);
}

// Slots of joined threads are used again.
TEST(RaceOracle, ShortThreads) {
  RandomExecution options;
  options.brief = true;
  options.threads = 10;
  options.events = 60;
  compare_many(options);
  options.atomics = true;
  compare_many(options);
}

TEST(RaceOracle, ReadersAndWriters) {
  RandomExecution options;
  options.locking = true;
  options.locks = 1;
  options.events = 40;
  compare_many(options);
}

}  // namespace
}  // namespace raddle
