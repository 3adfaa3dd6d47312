// SerialDetector against the definition: the whole conflict graph, by looking at every pair of
// events.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/serial/serial.hpp"
#include "host/analysis/shadow/extent.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

bool touches_memory(const Event& event) { return event.size != 0; }
bool writes(const Event& event) {
  return event.kind == EventKind::write || event.kind == EventKind::atomic_update ||
         (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
}

// The conflict graph of an execution, with its transitive closure.
class ConflictGraph {
 public:
  explicit ConflictGraph(const std::vector<Event>& events) : events_(events) {
    const std::size_t n = events.size();
    // Transactions: of each thread, from the outermost block_enter to its exit, else one event.
    std::vector<int> open(64, -1), depth(64, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t thread = raw(events[i].thread);
      if (events[i].kind == EventKind::block_enter && depth[thread]++ == 0)
        open[thread] = transactions_++;
      transaction_.push_back(depth[thread] > 0 ? open[thread] : transactions_++);
      if (events[i].kind == EventKind::block_exit) --depth[thread];
    }
    const auto size = static_cast<std::size_t>(transactions_);
    edge_.assign(size, std::vector<bool>(size, false));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j)
        if (transaction(i) != transaction(j) && ordered(i, j))
          edge_[transaction(i)][transaction(j)] = true;
  }

  std::size_t transaction(std::size_t event) const {
    return static_cast<std::size_t>(transaction_[event]);
  }
  // A cycle through these transactions and no others.
  bool cycle_within(const std::set<std::size_t>& nodes, bool through_all) const {
    std::vector<std::vector<bool>> reach(edge_.size(), std::vector<bool>(edge_.size(), false));
    for (std::size_t a : nodes)
      for (std::size_t b : nodes) reach[a][b] = edge_[a][b];
    for (std::size_t k : nodes)
      for (std::size_t a : nodes)
        for (std::size_t b : nodes)
          if (reach[a][k] && reach[k][b]) reach[a][b] = true;
    bool any = false, all = true;
    for (std::size_t a : nodes)
      for (std::size_t b : nodes) {
        any = any || reach[a][a];
        all = all && reach[a][b];
      }
    return through_all ? all : any;
  }
  bool serializable() const {
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < edge_.size(); ++i) all.insert(i);
    return !cycle_within(all, false);
  }

 private:
  bool ordered(std::size_t i, std::size_t j) const {
    const Event& a = events_[i];
    const Event& b = events_[j];
    if (a.thread == b.thread) return true;
    if (a.kind == EventKind::fork && a.value == raw(b.thread)) return true;
    if (b.kind == EventKind::join && b.value == raw(a.thread)) return true;
    if (touches_memory(a) && touches_memory(b))
      return !(counts_by_one(a) && counts_by_one(b)) && (writes(a) || writes(b)) &&
             a.object < b.object + b.size && b.object < a.object + a.size;
    if (a.object != b.object) return false;
    if (a.kind == EventKind::release && b.kind == EventKind::acquire)
      return a.value == 0 && b.value == 1 && ((a.flags & kShared) == 0 || (b.flags & kShared) == 0);
    if (a.kind == EventKind::signal && b.kind == EventKind::await) return true;
    if (a.kind == EventKind::notify && b.kind == EventKind::wake && b.value == 0) {
      for (std::size_t k = j; k-- > 0;)
        if (events_[k].thread == b.thread && events_[k].kind == EventKind::wait) return k < i;
    }
    return false;
  }

  const std::vector<Event>& events_;
  std::vector<int> transaction_;  // by event
  int transactions_ = 0;
  std::vector<std::vector<bool>> edge_;
};

TEST(SerialOracle, SameVerdictAsTheConflictGraphAndEveryCycleIsReal) {
  std::mt19937_64 random(20240611);
  int violations = 0, reported = 0;
  const int traces = oracle_traces();
  for (int i = 0; i < traces; ++i) {
    RandomTraceShape shape;
    shape.threads = 2 + i % 3;
    shape.variables = 2 + i % 4;
    shape.synchronise = i % 5 != 0;
    shape.long_scopes = i % 2 == 0;
    shape.late_forks = i % 7 == 0;
    const std::vector<Event> events = random_trace(random, shape);

    AnalysisOptions options;
    options.atomic = {.annotated = true, .locks = false, .functions = false};
    Pipeline pipeline(options);
    pipeline.add(std::make_unique<SerialDetector>(pipeline.state()));
    pipeline.begin({});
    pipeline.events(events);
    pipeline.end({});

    const ConflictGraph graph(events);
    ASSERT_EQ(pipeline.findings().empty(), graph.serializable()) << "trace " << i << '\n'
                                                                 << describe(events);
    violations += graph.serializable() ? 0 : 1;
    for (const Finding& finding : pipeline.findings()) {
      ++reported;
      std::set<std::size_t> named;
      for (const FindingStep& step : finding.steps)
        named.insert(graph.transaction(static_cast<std::size_t>(step.event.step)));
      ASSERT_GE(named.size(), 2U);
      ASSERT_TRUE(graph.cycle_within(named, true)) << "trace " << i << '\n'
                                                   << finding.what << '\n'
                                                   << describe(events);
    }
  }
  // Both verdicts are common, or the test says little.
  EXPECT_GT(violations, traces / 20);
  EXPECT_LT(violations, traces * 19 / 20);
  EXPECT_GE(reported, violations);
}

}  // namespace
}  // namespace raddle
