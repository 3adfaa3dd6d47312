// Measures what dynamic partial-order reduction costs for an execution, by its length. The
// executions are synthetic: each thread takes a lock of its own, and now and then one that all
// share. The explorer processes the whole execution as it does the first one of a program.
#include <benchmark/benchmark.h>

#include <vector>

#include "host/explore/search.hpp"

namespace raddle {
namespace {

constexpr std::uint16_t kThreads = 4;
constexpr std::size_t kShared = 16;  // one section in so many takes the shared lock

// Each thread executes sections of a lock and an unlock. Threads take turns after each section.
KeptExecution made_up(std::size_t steps) {
  KeptExecution kept;
  Pending pending[kThreads];
  std::size_t sections[kThreads] = {};
  const auto announce = [&](std::uint16_t t, OpKind op) {
    const bool shared = sections[t] % kShared == kShared - 1;
    pending[t] = {ThreadId{t}, op, StepOutcome::kReady, ObjectId{shared ? 1U : 2U + t}, 0, 0};
  };
  for (std::uint16_t t = 0; t < kThreads; ++t) announce(t, OpKind::mutex_lock);
  for (std::size_t step = 0; step < steps; ++step) {
    const auto t = static_cast<std::uint16_t>(step / 2 % kThreads);
    kept.first.push_back(static_cast<std::uint32_t>(kept.pending.size()));
    kept.pending.insert(kept.pending.end(), pending, pending + kThreads);
    kept.log.push_back(record_of(pending[t]));
    if (pending[t].op == OpKind::mutex_unlock) ++sections[t];
    announce(t, pending[t].op == OpKind::mutex_lock ? OpKind::mutex_unlock : OpKind::mutex_lock);
  }
  kept.first.insert(kept.first.end(), 2, static_cast<std::uint32_t>(kept.pending.size()));
  kept.point();
  return kept;
}

void BM_Dpor(benchmark::State& state) {
  const KeptExecution execution = made_up(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    Search search(SearchOptions{SearchOrder::kDpor});
    Work work;
    search.next(work);
    search.done(work, execution.explored);
    benchmark::DoNotOptimize(search.waiting());
  }
  state.counters["per_step"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.SetComplexityN(state.range(0));
}

}  // namespace

BENCHMARK(BM_Dpor)->RangeMultiplier(4)->Range(64, 1 << 16)->Complexity(benchmark::oN);

}  // namespace raddle

BENCHMARK_MAIN();
