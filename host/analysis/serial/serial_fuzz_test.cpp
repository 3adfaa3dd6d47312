// Streams that make no sense: the detectors of serializability survive them, and say the same when
// they see them again.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "host/analysis/atomset/atomset.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/serial/serial.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

std::vector<Event> nonsense(std::mt19937_64& random) {
  const auto number = [&] {
    switch (random() % 6) {
      case 0:
        return std::uint64_t{0};
      case 1:
        return ~std::uint64_t{0} - random() % 16;
      case 2:
        return random();
      default:
        return 0x1000 + random() % 64;  // so that things meet
    }
  };
  std::vector<Event> events(20 + random() % 200);
  for (Event& event : events) {
    event.kind = static_cast<EventKind>(random() % kEventKinds);
    event.flags = static_cast<std::uint8_t>(random());
    event.size = static_cast<std::uint16_t>(random() % 400 == 0 ? random() : random() % 9);
    event.thread =
        ThreadId{static_cast<std::uint16_t>(random() % 200 == 0 ? random() % 300 : random() % 4)};
    event.site = SiteId{static_cast<std::uint32_t>(random() % 9 == 0 ? random() : random() % 20)};
    event.object = number();
    event.value = random() % 2 == 0 ? random() % 4 : number();
  }
  return events;
}

std::vector<Finding> analyse(const std::vector<Event>& events, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  AnalysisOptions options;
  options.atomic.functions = true;
  Pipeline pipeline(options);
  AtomicSetOptions sets;
  sets.limits = {.max_automata = 50, .max_accesses = 100};
  sets.max_range = 4096;
  SerialOptions serial;
  serial.max_transactions = 6;
  serial.max_range = 4096;
  pipeline.add(std::make_unique<SerialDetector>(pipeline.state(), serial));
  pipeline.add(std::make_unique<AtomicSetDetector>(pipeline.state(), sets));
  pipeline.begin({});
  for (std::uint32_t i = 1; i < 20; ++i) {
    Site site;
    site.kind = static_cast<EventKind>(random() % kEventKinds);
    site.flags = static_cast<std::uint8_t>(random());
    site.cls = random() % 2 == 0 ? "" : "C";
    site.set = random() % 4 == 0 ? "s" : "";
    site.offset = static_cast<std::uint32_t>(random() % 5 == 0 ? random() : random() % 40);
    site.stable = i;
    pipeline.define_site(SiteId{i}, site);
  }
  for (int i = 0; i < 4; ++i)
    pipeline.define_object(0x1000 + random() % 64, random() % 3 == 0 ? random() : random() % 32,
                           "x");
  pipeline.events(events);
  pipeline.end({});
  return pipeline.findings();
}

TEST(SerializabilityFuzz, NonsenseIsSurvivedAndJudgedTheSameAgain) {
  std::mt19937_64 random(99);
  const int traces = oracle_traces() / 4;
  for (int i = 0; i < traces; ++i) {
    const std::vector<Event> events = nonsense(random);
    const std::vector<Finding> once = analyse(events, 5);
    const std::vector<Finding> again = analyse(events, 5);
    ASSERT_EQ(once.size(), again.size());
    for (std::size_t k = 0; k < once.size(); ++k) {
      ASSERT_EQ(once[k].place, again[k].place);
      ASSERT_EQ(once[k].what, again[k].what);
      ASSERT_EQ(once[k].count, again[k].count);
    }
  }
}

}  // namespace
}  // namespace raddle
