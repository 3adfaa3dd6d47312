#include "prevent/enforce/parametric.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "prevent/logics/testing/compile.hpp"

namespace raddle::enforce {
namespace {

using logics::below;
using logics::Loaded;
using logics::Random;

// An event as it happened: `instance` has the objects of its parameters, 0 for the others.
using Objects = std::vector<std::uintptr_t>;
struct Happened {
  EventId event;
  Objects objects;
};

bool less_informative(const Objects& a, const Objects& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0 && a[i] != b[i]) return false;
  return true;
}

// The definition: keeps all that happened, and cuts it up for each instance.
struct Definition {
  const std::vector<ParametricEvent>& events;
  std::vector<Happened> trace;

  // The slice; none if the instance has no monitor.
  std::optional<std::vector<EventId>> slice(const Objects& instance) const {
    std::vector<EventId> out;
    Objects joined(instance.size());
    bool begun = false;
    for (const Happened& happened : trace) {
      if (!less_informative(happened.objects, instance)) continue;
      begun = begun || events[happened.event].creation;
      if (!begun) continue;
      out.push_back(happened.event);
      for (std::size_t i = 0; i < joined.size(); ++i)
        if (happened.objects[i] != 0) joined[i] = happened.objects[i];
    }
    if (!begun || joined != instance) return std::nullopt;
    return out;
  }
};

// Objects are never looked at.
const void* address(std::uintptr_t object) {
  return reinterpret_cast<const void*>(object);  // NOLINT(performance-no-int-to-ptr)
}

std::vector<const void*> pointers(const Objects& objects) {
  std::vector<const void*> out;
  out.reserve(objects.size());
  for (const std::uintptr_t object : objects) out.push_back(address(object));
  return out;
}

Mask domain_of(const Objects& objects) {
  Mask out = 0;
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (objects[i] != 0) out |= Mask(1) << i;
  return out;
}

// Remembers the whole slice, so that equal states are equal slices: the trace as a number to
// base 5.
struct Slices {
  // A machine with one state does: what is compared are the variables.
  Loaded loaded = logics::load("fsm", "s [ default s ]", {"e0", "e1", "e2", "e3"}, {});
  VariableKind kind{sizeof(std::vector<EventId>), [](void* at) { new (at) std::vector<EventId>(); },
                    [](void* at, const void* from) {
                      new (at)
                          std::vector<EventId>(*static_cast<const std::vector<EventId>*>(from));
                    },
                    [](void* at) { static_cast<std::vector<EventId>*>(at)->~vector(); }};
};

void happens(Monitors& monitors, const Happened& happened) {
  const std::vector<const void*> objects = pointers(happened.objects);
  monitors.happens(
      happened.event, objects.data(), [](const void*) { return true; },
      [&](Monitor& monitor) {
        static_cast<std::vector<EventId>*>(monitors.variables(monitor))->push_back(happened.event);
      });
}

// All instances of up to three parameters with the objects that are there.
template <class Function>
void for_each_instance(const std::vector<std::vector<std::uintptr_t>>& alive,
                       const Function& function) {
  Objects instance(alive.size());
  const auto fill = [&](const auto& self, std::size_t parameter) -> void {
    if (parameter == alive.size()) return function(instance);
    instance[parameter] = 0;
    self(self, parameter + 1);
    for (const std::uintptr_t object : alive[parameter]) {
      instance[parameter] = object;
      self(self, parameter + 1);
    }
    instance[parameter] = 0;
  };
  fill(fill, 0);
}

TEST(Parametric, AgreesWithKeepingAllSlices) {
  const Slices slices;
  Random random(23);
  for (int round = 0; round < logics::oracle_count(20000); ++round) {
    const unsigned parameters = below(random, 4);
    std::vector<ParametricEvent> events;
    events.reserve(4);
    const bool all_create = below(random, 3) == 0;
    for (unsigned i = 0; i < 4; ++i)
      events.push_back(
          {Mask(below(random, 1U << parameters)), all_create || below(random, 2) == 0});
    const Domains domains = find_domains(events, parameters);
    Monitors monitors(*slices.loaded.property, domains, parameters, slices.kind);
    Definition definition{events, {}};
    std::uintptr_t fresh = 1;
    std::vector<std::vector<std::uintptr_t>> alive(parameters);
    for (auto& objects : alive)
      for (int i = 0; i < 2; ++i) objects.push_back(16 * fresh++);
    for (unsigned step = below(random, 14); step > 0; --step) {
      if (parameters > 0 && below(random, 8) == 0) {  // one is destroyed, another takes its place
        const unsigned parameter = below(random, parameters);
        std::uintptr_t& object = alive[parameter][below(random, 2)];
        monitors.destroyed(parameter, address(object));
        object = 16 * fresh++;
      } else {
        Happened happened{EventId(below(random, 4)), Objects(parameters)};
        for (unsigned i = 0; i < parameters; ++i)
          if ((events[happened.event].parameters >> i & 1U) != 0)
            happened.objects[i] = alive[i][below(random, 2)];
        happens(monitors, happened);
        definition.trace.push_back(happened);
      }
      std::size_t count = 0;
      for_each_instance(alive, [&](const Objects& instance) {
        const auto expected = definition.slice(instance);
        Monitor* found = monitors.find(domain_of(instance), pointers(instance).data());
        ASSERT_EQ(found != nullptr, expected.has_value());
        if (found == nullptr) return;
        ++count;
        ASSERT_EQ(*static_cast<std::vector<EventId>*>(monitors.variables(*found)), *expected);
      });
      if (HasFatalFailure()) return;
      ASSERT_EQ(monitors.count(), count);
    }
  }
}

// look() sees what happens() would step, before it does.
TEST(Parametric, LookingChangesNothing) {
  const Slices slices;
  const std::vector<ParametricEvent> events{{3, true}, {1, false}, {2, false}, {0, false}};
  const Domains domains = find_domains(events, 2);
  Monitors monitors(*slices.loaded.property, domains, 2, slices.kind);
  happens(monitors, {0, {16, 32}});
  happens(monitors, {0, {16, 48}});
  const auto seen = [&](const Happened& happened) {
    std::multiset<std::size_t> out;  // the lengths of the slices
    monitors.look(happened.event, pointers(happened.objects).data(),
                  [&](StateId, const void* variables) {
                    out.insert(static_cast<const std::vector<EventId>*>(variables)->size());
                    return true;
                  });
    return out;
  };
  EXPECT_EQ(seen({1, {16, 0}}), (std::multiset<std::size_t>{1, 1}));
  EXPECT_EQ(seen({0, {64, 32}}), (std::multiset<std::size_t>{0})) << "one that it would make";
  EXPECT_EQ(monitors.count(), 2U);
}

TEST(Parametric, CopiesAreIndependent) {
  const Slices slices;
  const std::vector<ParametricEvent> events{{3, true}, {1, true}, {2, false}, {0, false}};
  const Domains domains = find_domains(events, 2);
  Monitors monitors(*slices.loaded.property, domains, 2, slices.kind);
  happens(monitors, {0, {16, 32}});
  happens(monitors, {1, {48, 0}});
  Monitors copy(*slices.loaded.property, domains, 2, slices.kind);
  copy.adopt(monitors);
  EXPECT_EQ(copy.count(), monitors.count());
  happens(copy, {2, {0, 32}});
  const auto slice = [](Monitors& of) {
    Monitor* found = of.find(3, pointers({16, 32}).data());
    return *static_cast<std::vector<EventId>*>(of.variables(*found));
  };
  EXPECT_EQ(slice(monitors), (std::vector<EventId>{0}));
  EXPECT_EQ(slice(copy), (std::vector<EventId>{0, 2}));
}

TEST(Parametric, AMillionObjectsAtTheSameTimeLeaveNothing) {
  const Loaded loaded = logics::load("fsm", "a [ e0 -> b ] b [ e1 -> a ]", {"e0", "e1"}, {"fail"});
  const Domains domains = find_domains({{1, true}, {1, false}}, 1);
  Monitors monitors(*loaded.property, domains, 1, {});
  const auto make = [&](std::uintptr_t i) {
    const void* objects[1] = {address(i * 64)};
    monitors.happens(0, objects, [](const void*) { return true; }, [](Monitor&) {});
  };
  make(1);
  monitors.destroyed(0, address(64));
  const std::size_t before = monitors.memory();
  for (int round = 0; round < 2; ++round) {
    for (std::uintptr_t i = 1; i <= 1'000'000; ++i) make(i);
    EXPECT_GT(monitors.memory(), 1000 * before);
    for (std::uintptr_t i = 1; i <= 1'000'000; ++i) monitors.destroyed(0, address(i * 64));
    EXPECT_EQ(monitors.count(), 0U);
    EXPECT_LE(monitors.memory(), before);
  }
}

TEST(Parametric, AMillionObjectsLeaveNothing) {
  const Loaded loaded = logics::load("fsm", "a [ e0 -> b ] b [ e1 -> a ]", {"e0", "e1"}, {"fail"});
  const std::vector<ParametricEvent> events{{3, true}, {1, false}};
  const Domains domains = find_domains(events, 2);
  Monitors monitors(*loaded.property, domains, 2, {});
  for (std::uintptr_t i = 1; i <= 1'000'000; ++i) {
    const void* objects[2] = {address(i * 64), address(i * 48)};
    const auto step = [&](Monitor& monitor) {
      monitor.state = loaded.property->after(monitor.state, 0);
    };
    monitors.happens(0, objects, [](const void*) { return true; }, step);
    monitors.destroyed(unsigned(i % 2), objects[i % 2]);
    ASSERT_EQ(monitors.count(), 0U);
  }
}

}  // namespace
}  // namespace raddle::enforce
