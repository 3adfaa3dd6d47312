// Many threads, many objects, and a recorder of its own: no event is lost, and none goes through
// that should have waited. RADDLE_STORM_SECONDS makes it last, 64 threads on 1,000 objects:
// scripts/storm.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "prevent/enforce/property.hpp"
#include "prevent/enforce/testing/specification.hpp"

namespace raddle::enforce {
namespace {

struct Recorder {
  std::atomic<int> inside{0};  // threads between acquire and release
  std::atomic<long> calls{0};  // by the threads
  long bodies = 0;             // by the property, under its lock
};

struct Storm {
  TestProperty& property;
  std::vector<Recorder> recorders;
  std::atomic<bool> violated{false};
  std::atomic<bool> over{false};

  void work(unsigned seed) {
    logics::Random random(seed);
    while (!over) {
      Recorder& recorder = recorders[logics::below(random, unsigned(recorders.size()))];
      property(0, {&recorder}, &recorder);
      if (++recorder.inside != 1) violated = true;
      if (logics::below(random, 64) == 0) std::this_thread::yield();
      --recorder.inside;
      property(1, {&recorder}, &recorder);
      recorder.calls += 2;
    }
  }
};

void rage(const char* logic, const char* formula, unsigned threads, std::size_t objects,
          std::chrono::milliseconds duration) {
  // Known to the end, as a program's properties are: what is lost besides is a leak.
  static std::vector<TestProperty*>& all_properties = *new std::vector<TestProperty*>();
  all_properties.push_back(new TestProperty(
      "Storm", logic, formula, {{"acquire", 1}, {"release", 1}}, 1, {"nonfail"}, true));
  TestProperty& property = *all_properties.back();
  for (EventInfo& info : property.infos)
    info.body = [](void*, void* context) { ++static_cast<Recorder*>(context)->bodies; };
  property.begin();
  Storm storm{property, std::vector<Recorder>(objects)};
  std::vector<std::thread> all;
  all.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) all.emplace_back([&storm, i] { storm.work(i + 1); });
  std::this_thread::sleep_for(duration);
  storm.over = true;
  for (std::thread& thread : all) thread.join();
  EXPECT_FALSE(storm.violated) << logic;
  long events = 0;
  for (Recorder& recorder : storm.recorders) {
    EXPECT_EQ(recorder.bodies, recorder.calls);
    events += recorder.calls;
    destroyed(property.property, 0, &recorder);
  }
  EXPECT_EQ(property.property->monitors(), 0U);
  std::printf("%s: %u threads, %zu objects, %ld events\n", logic, threads, objects, events);
}

TEST(Storm, NoEventIsLostAndNoViolationGoesThrough) {
  const char* text = std::getenv("RADDLE_STORM_SECONDS");
  const int seconds = text != nullptr ? std::atoi(text) : 0;
  const std::chrono::milliseconds each(seconds > 0 ? seconds * 1000 / 3 : 150);
  const unsigned threads = seconds > 0 ? 64 : 8;
  const std::size_t objects = seconds > 0 ? 1000 : 4;
  rage("fsm", "free [ acquire -> busy ] busy [ release -> free ]", threads, objects, each);
  rage("cfg", "S -> acquire release S | epsilon", threads, objects, each);
  rage("srs", "acquire release -> #epsilon . acquire acquire -> #fail . ^ release -> #fail",
       threads, objects, each);
}

}  // namespace
}  // namespace raddle::enforce
