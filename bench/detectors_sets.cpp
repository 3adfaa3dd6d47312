// Measures how many events a second the detectors of serializability take, on a synthetic execution
// with units of work: 8 threads, and 16 objects with a lock and 64 fields each. A unit is a member
// function that locks its object and makes 10 accesses. Units of different objects overlap. The
// time is that of the whole pipeline: names, ExecutionState, blocks, detector.
//
// Arguments: millions of events, which must not matter to the time per event; and how many of 64
// units release their lock in the middle to another unit on the same object. Such units interleave.
// The published figures are for 0, as in a correct program.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "host/analysis/pipeline/pipeline.hpp"

namespace raddle {
namespace {

constexpr int kThreads = 8, kObjects = 16, kAccesses = 10, kFields = 64;
constexpr std::uint64_t kObject = 0x100000, kObjectBytes = 1024, kLockOffset = 8 * kFields;
// Sites: 1 is a thread's function, 2 the unit, 3 and 4 the lock; from 5 on, accesses to the fields.
constexpr std::uint32_t kEntry = 1, kUnit = 2, kAcquire = 3, kRelease = 4, kField = 5;

class Synthetic {
 public:
  Synthetic(std::uint64_t seed, int interleaved) : random_(seed), interleaved_(interleaved) {}

  static void define(EventSink& sink) {
    for (std::uint32_t i = 1; i < kField + 2 * kFields; ++i) {
      Site site;
      site.kind = i <= kUnit ? EventKind::enter : EventKind::none;
      if (i == kUnit) {
        site.flags = kSiteUnit;
        site.cls = "Object";
        site.offset = kObjectBytes;
      }
      if (i >= kField) {
        site.kind = (i - kField) % 2 == 0 ? EventKind::read : EventKind::write;
        site.cls = "Object";
        site.offset = (i - kField) / 2 * 8;
        site.field = "field" + std::to_string((i - kField) / 2);
      }
      site.frames.push_back({"f" + std::to_string(i), "synthetic.cpp", i, 1});
      site.stable = stable_hash(site);
      sink.define_site(SiteId(i), site);
    }
  }

  std::vector<Event> start() {
    for (int thread = 0; thread < kThreads; ++thread) {
      if (thread > 0) emit(0, EventKind::fork, 0, std::uint64_t(thread), 0);
      emit(thread, EventKind::enter, 0, 0, kEntry);
    }
    return std::move(events_);
  }

  const std::vector<Event>& batch(std::size_t wanted) {
    events_.clear();
    while (events_.size() < wanted) {
      const int first = below(kThreads), second = (first + 1 + below(kThreads - 1)) % kThreads;
      const int object = below(kObjects);
      const bool interleave = below(64) < interleaved_;
      begin(first, object);
      accesses(first, object, kAccesses / 2);
      if (interleave) lock(first, object, false);
      unit(second, interleave ? object : (object + 1) % kObjects);
      if (interleave) lock(first, object, true);
      accesses(first, object, kAccesses / 2);
      end(first, object);
    }
    return events_;
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  static std::uint64_t address(int object) {
    return kObject + std::uint64_t(object) * kObjectBytes;
  }

  void emit(int thread, EventKind kind, std::uint64_t object, std::uint64_t value,
            std::uint32_t site, int size = 0) {
    Event event{};
    event.kind = kind;
    event.size = static_cast<std::uint16_t>(size);
    event.thread = ThreadId(static_cast<std::uint16_t>(thread));
    event.site = SiteId(site);
    event.step = step_++;
    event.object = object;
    event.value = value;
    events_.push_back(event);
  }
  void lock(int thread, int object, bool acquire) {
    emit(thread, acquire ? EventKind::acquire : EventKind::release, address(object) + kLockOffset,
         acquire ? 1 : 0, acquire ? kAcquire : kRelease);
  }
  void begin(int thread, int object) {
    emit(thread, EventKind::enter, address(object), 0, kUnit);
    lock(thread, object, true);
  }
  void end(int thread, int object) {
    lock(thread, object, false);
    emit(thread, EventKind::exit, address(object), 0, kUnit);
  }
  void accesses(int thread, int object, int count) {
    for (int i = 0; i < count; ++i) {
      const auto field = static_cast<std::uint32_t>(below(kFields));
      const bool write = below(2) == 0;
      emit(thread, write ? EventKind::write : EventKind::read, address(object) + 8 * field, 0,
           kField + 2 * field + (write ? 1 : 0), 8);
    }
  }
  void unit(int thread, int object) {
    begin(thread, object);
    accesses(thread, object, kAccesses);
    end(thread, object);
  }

  std::mt19937_64 random_;
  int interleaved_;
  std::vector<Event> events_;
  std::uint64_t step_ = 0;
};

void sets(benchmark::State& state, const char* detector) {
  const auto wanted = static_cast<std::uint64_t>(state.range(0)) * 1'000'000;
  std::uint64_t events = 0, findings = 0;
  for (auto _ : state) {
    state.PauseTiming();
    AnalysisOptions options;
    options.detectors = {detector};
    options.atomic = {.annotated = true, .locks = true, .functions = true};
    auto pipeline = Pipeline::make(options);
    Synthetic synthetic(1, static_cast<int>(state.range(1)));
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
  for (std::int64_t millions : {1, 5, 25}) bench->Args({millions, 0});
  for (std::int64_t interleaved : {1, 64}) bench->Args({1, interleaved});
  bench->Iterations(1)->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(sets, serial, "serial")->Apply(arguments);
BENCHMARK_CAPTURE(sets, atomset, "atomset")->Apply(arguments);

}  // namespace
}  // namespace raddle

BENCHMARK_MAIN();
