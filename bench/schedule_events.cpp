// What an event of a schedule costs: RADDLE_EVENT with and without an active schedule, beside an
// empty call.
#include <benchmark/benchmark.h>

#include "raddle/schedule.hpp"

namespace {

[[gnu::noinline]] void empty() { asm volatile(""); }

[[gnu::noinline]] void eventful() { RADDLE_EVENT(something); }

void repeat(benchmark::State& state, void (*function)()) {
  for (auto _ : state) function();
}

void empty_call(benchmark::State& state) { repeat(state, empty); }
BENCHMARK(empty_call);

void event_without_a_schedule(benchmark::State& state) { repeat(state, eventful); }
BENCHMARK(event_without_a_schedule);

void event_that_the_schedule_names(benchmark::State& state) {
  const raddle::Schedule schedule("something -> later");
  repeat(state, eventful);
  RADDLE_EVENT(later);
}
BENCHMARK(event_that_the_schedule_names);

void event_that_has_a_condition(benchmark::State& state) {
  const raddle::Schedule schedule("first -> something+");
  RADDLE_EVENT(first);
  repeat(state, eventful);
}
BENCHMARK(event_that_has_a_condition);

void event_that_the_schedule_does_not_name(benchmark::State& state) {
  const raddle::Schedule schedule("first -> second");
  RADDLE_EVENT(first);
  RADDLE_EVENT(second);
  repeat(state, eventful);
}
BENCHMARK(event_that_the_schedule_does_not_name);

}  // namespace

BENCHMARK_MAIN();
