// The Atomizer against the definition of 001 and 000 (testing/reduction_oracle.hpp), on annotated
// blocks and everything but accesses: how locks, semaphores, fork and join move, whoever turns out
// to use a lock later.
#include <gtest/gtest.h>

#include <set>

#include "host/analysis/atomizer/atomizer.hpp"
#include "host/analysis/atomizer/testing/reduction_oracle.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

bool concerns(const Event& event) {
  switch (event.kind) {
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
      return false;
    default:
      return !is_access(event.kind) && !is_atomic(event.kind);
  }
}

void compare_many(RandomExecution shape) {
  shape.blocks = shape.waits = shape.own_sites = true;
  shape.variables = 1;
  int violating = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed) {
    TestTrace trace = random_execution(seed, shape);
    std::erase_if(trace.events, [](const Event& event) { return !concerns(event); });
    for (std::size_t i = 0; i < trace.events.size(); ++i) trace.events[i].step = i;

    AnalysisOptions options;
    options.atomic = {true, false, false};
    Pipeline pipeline{options};
    auto detector = std::make_unique<Atomizer>(pipeline.state(), options);
    std::vector<Atomizer::Violation> violations;
    detector->all_violations = &violations;
    pipeline.add(std::move(detector));
    trace.feed(pipeline);

    std::vector<std::size_t> begins;  // blocks are numbered in the order of their begin
    for (std::size_t i = 0; i < trace.events.size(); ++i)
      if (trace.events[i].kind == EventKind::block_enter) begins.push_back(i);
    std::set<std::size_t> found;
    for (const Atomizer::Violation& violation : violations)
      found.insert(begins.at(violation.block));
    const ReductionOracle oracle(trace.events, [](std::size_t) { return Mover::kBoth; });
    EXPECT_EQ(found, oracle.violated()) << "seed " << seed << "\n" << describe(trace);
    violating += found.empty() ? 0 : 1;
  }
  EXPECT_GT(violating, static_cast<int>(traces / 50));
  EXPECT_LT(violating, static_cast<int>(traces - traces / 50));
}

TEST(ReductionOracle, Locks) {
  RandomExecution shape;
  shape.events = 60;
  compare_many(shape);
}

TEST(ReductionOracle, ManyLocksFewThreads) {
  RandomExecution shape;
  shape.threads = 3;
  shape.locks = 4;
  shape.events = 80;
  compare_many(shape);
}

TEST(ReductionOracle, ThreadsComeAndGo) {
  RandomExecution shape;
  shape.brief = true;
  shape.threads = 8;
  shape.events = 60;
  compare_many(shape);
}

TEST(ReductionOracle, Semaphores) {
  RandomExecution shape;
  shape.semaphores = true;
  shape.events = 60;
  compare_many(shape);
}

}  // namespace
}  // namespace raddle
