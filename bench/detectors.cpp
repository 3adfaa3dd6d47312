// Measures how many events a second each detector takes, on a synthetic execution: 8 threads and 16
// locks. A block holds one lock and makes 10 accesses to data that the lock protects, half of them
// writes. Every 16th block takes a second lock, in order. Every 64th block reads unprotected data
// that no thread writes. The time is that of the whole pipeline: names, ExecutionState, blocks,
// detector.
//
// Arguments: the detector (its index in the registry; the next number means all of them in one
// pass), and millions of events. The time per event must not grow with the number of events.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "host/analysis/pipeline/pipeline.hpp"

namespace raddle {
namespace {

constexpr int kThreads = 8, kLocks = 16, kAccesses = 10, kVariables = 64;  // variables: per lock
constexpr std::uint64_t kLock = 0x10000, kData = 0x100000, kConstants = 0x800000;

class Synthetic {
 public:
  explicit Synthetic(std::uint64_t seed) : random_(seed) {}

  static void define(EventSink& sink) {
    for (std::uint32_t i = 1; i <= 64; ++i) {
      Site site;
      site.frames.push_back({"f" + std::to_string(i), "synthetic.cpp", i, 1});
      site.stable = stable_hash(site);
      sink.define_site(SiteId(i), site);
    }
  }

  std::vector<Event> start() {
    for (int thread = 1; thread < kThreads; ++thread)
      emit(0, EventKind::fork, 0, std::uint64_t(thread), 1);
    return std::move(events_);
  }

  // Makes about `wanted` events. Threads take turns after a block, and in the middle of blocks.
  const std::vector<Event>& batch(std::size_t wanted) {
    events_.clear();
    while (events_.size() < wanted) {
      const int first = below(kThreads), second = (first + 1 + below(kThreads - 1)) % kThreads;
      const int lock = below(kLocks);
      begin(first, lock);
      accesses(first, lock, kAccesses / 2);
      if (lock % 2 == 0) block(second, (lock + 1) % kLocks);
      accesses(first, lock, kAccesses / 2);
      end(first, lock);
    }
    return events_;
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

  void emit(int thread, EventKind kind, std::uint64_t object, std::uint64_t value, int site,
            int size = 0) {
    Event event{};
    event.kind = kind;
    event.size = static_cast<std::uint16_t>(size);
    event.thread = ThreadId(static_cast<std::uint16_t>(thread));
    event.site = SiteId(static_cast<std::uint32_t>(site));
    event.step = step_++;
    event.object = object;
    event.value = value;
    events_.push_back(event);
  }
  void begin(int thread, int lock) {
    emit(thread, EventKind::acquire, kLock + 64 * std::uint64_t(lock), 1, 1 + lock);
  }
  void end(int thread, int lock) {
    emit(thread, EventKind::release, kLock + 64 * std::uint64_t(lock), 0, 17 + lock);
  }
  void accesses(int thread, int lock, int count) {
    for (int i = 0; i < count; ++i) {
      const int variable = below(kVariables);
      emit(thread, (variable + i) % 2 == 0 ? EventKind::write : EventKind::read,
           kData + std::uint64_t(lock * kVariables + variable) * 8, 0, 33 + variable % 30, 8);
    }
  }
  void block(int thread, int lock) {
    begin(thread, lock);
    accesses(thread, lock, kAccesses - 1);
    emit(thread, EventKind::read, kConstants + 8 * std::uint64_t(below(1024)), 0, 63, 8);
    const bool nests = below(16) == 0 && lock + 1 < kLocks;
    if (nests && lock % 2 == 1 && lock + 2 < kLocks) {
      begin(thread, lock + 2);
      end(thread, lock + 2);
    }
    end(thread, lock);
  }

  std::mt19937_64 random_;
  std::vector<Event> events_;
  std::uint64_t step_ = 0;
};

void detectors(benchmark::State& state) {
  const auto which = static_cast<std::size_t>(state.range(0));
  AnalysisOptions options;
  if (which < detector_registry().size()) options.detectors = {detector_registry()[which].name};
  state.SetLabel(options.detectors.empty() ? "all" : options.detectors[0]);
  const auto wanted = static_cast<std::uint64_t>(state.range(1)) * 1'000'000;
  std::uint64_t events = 0, findings = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto pipeline = Pipeline::make(options);
    Synthetic synthetic(1);
    Synthetic::define(**pipeline);
    (*pipeline)->events(synthetic.start());
    std::uint64_t fed = 0;
    while (fed < wanted) {  // in pieces, so that memory does not grow with the length
      const std::vector<Event>& batch = synthetic.batch(100'000);
      state.ResumeTiming();
      (*pipeline)->events(batch);
      state.PauseTiming();
      fed += batch.size();
    }
    state.ResumeTiming();
    (*pipeline)->end({});
    state.PauseTiming();
    findings += (*pipeline)->findings().size();
    events += fed;
    pipeline->reset();
    state.ResumeTiming();
  }
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.counters["findings"] = static_cast<double>(findings);
}

void arguments(benchmark::internal::Benchmark* bench) {
  for (std::size_t i = 0; i <= detector_registry().size(); ++i)
    for (std::int64_t millions : {1, 5, 25}) bench->Args({static_cast<std::int64_t>(i), millions});
}

BENCHMARK(detectors)->Apply(arguments)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace raddle

BENCHMARK_MAIN();
