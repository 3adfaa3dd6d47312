// What an event of a property costs: uncontended, by logic, with a parameter or two, and with a
// million objects.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "prevent/logics/logic.hpp"
#include "raddle/enforce.hpp"

namespace {

using raddle::enforce::EventInfo;
using raddle::enforce::Handling;
using raddle::enforce::Specification;

// A property as raddle-mop generates it; lives on, as properties do.
struct Spec {
  raddle::logics::Program program;
  std::vector<EventInfo> events;
  std::vector<void (*)(Handling&)> handlers;
  Specification specification{};
};

raddle::enforce::Property* begin(const char* logic, const char* formula,
                                 const std::vector<std::string>& names,
                                 std::vector<EventInfo> events, unsigned parameters,
                                 bool enforced) {
  auto& spec = *new Spec();
  auto compiled =
      raddle::logics::find_logic(logic)->compile({formula, names, {"nonfail"}, enforced});
  if (!std::holds_alternative<raddle::logics::Program>(compiled)) std::abort();
  spec.program = std::get<raddle::logics::Program>(compiled);
  spec.events = std::move(events);
  spec.handlers = {nullptr};
  spec.specification.name = "Bench";
  spec.specification.file = "bench.mop";
  spec.specification.enforced = enforced;
  spec.specification.program = spec.program.data();
  spec.specification.events = spec.events.data();
  spec.specification.event_count = unsigned(spec.events.size());
  spec.specification.parameter_count = parameters;
  spec.specification.category_count = 1;
  spec.specification.handlers = spec.handlers.data();
  return raddle::enforce::begin(spec.specification);
}

constexpr const char* kFork = "free [ acquire -> busy ] busy [ release -> free ]";

raddle::enforce::Property* fork_property(bool enforced) {
  return begin("fsm", kFork, {"acquire", "release"},
               {{"acquire", 1, true, nullptr, nullptr, nullptr},
                {"release", 1, false, nullptr, nullptr, nullptr}},
               1, enforced);
}

// Two events a turn, on objects one after the other.
void turns(benchmark::State& state, raddle::enforce::Property* property, std::size_t count) {
  std::vector<char> objects(count * 64);
  std::size_t next = 0;
  for (auto _ : state) {
    const void* object[] = {&objects[next * 64]};
    raddle::enforce::happens(property, 0, object, nullptr, nullptr);
    raddle::enforce::happens(property, 1, object, nullptr, nullptr);
    next = next + 1 < count ? next + 1 : 0;
  }
  state.SetItemsProcessed(2 * state.iterations());
}

void one_object(benchmark::State& state) { turns(state, fork_property(true), 1); }
BENCHMARK(one_object);

void one_object_not_enforced(benchmark::State& state) { turns(state, fork_property(false), 1); }
BENCHMARK(one_object_not_enforced);

void thousand_objects(benchmark::State& state) { turns(state, fork_property(true), 1000); }
BENCHMARK(thousand_objects);

void million_objects(benchmark::State& state) { turns(state, fork_property(true), 1'000'000); }
BENCHMARK(million_objects)->Iterations(2'000'000);

void each_thread_its_object(benchmark::State& state) {
  static raddle::enforce::Property* property = fork_property(true);
  turns(state, property, 1);
}
BENCHMARK(each_thread_its_object)->Threads(2);

void rewriting(benchmark::State& state) {
  turns(state,
        begin("srs", "acquire release -> #epsilon . acquire acquire -> #fail . release -> #fail .",
              {"acquire", "release"},
              {{"acquire", 1, true, nullptr, nullptr, nullptr},
               {"release", 1, false, nullptr, nullptr, nullptr}},
              1, true),
        1);
}
BENCHMARK(rewriting);

void grammar(benchmark::State& state) {
  turns(state,
        begin("cfg", "S -> acquire release S | epsilon", {"acquire", "release"},
              {{"acquire", 1, true, nullptr, nullptr, nullptr},
               {"release", 1, false, nullptr, nullptr, nullptr}},
              1, true),
        1);
}
BENCHMARK(grammar);

// A collection and its iterator: made, stepped twice, ended.
void two_parameters(benchmark::State& state) {
  raddle::enforce::Property* property =
      begin("fsm", "na [ create -> used ] used [ next -> used ] ", {"create", "next"},
            {{"create", 3, true, nullptr, nullptr, nullptr},
             {"next", 2, false, nullptr, nullptr, nullptr}},
            2, true);
  char collection = 0;
  char iterator = 0;
  for (auto _ : state) {
    const void* objects[] = {&collection, &iterator};
    raddle::enforce::happens(property, 0, objects, nullptr, nullptr);
    raddle::enforce::happens(property, 1, objects, nullptr, nullptr);
    raddle::enforce::happens(property, 1, objects, nullptr, nullptr);
    raddle::enforce::destroyed(property, 1, &iterator);
  }
  state.SetItemsProcessed(3 * state.iterations());
}
BENCHMARK(two_parameters);

}  // namespace

BENCHMARK_MAIN();
