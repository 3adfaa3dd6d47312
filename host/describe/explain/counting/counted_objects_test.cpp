#include "host/describe/explain/counting/counted_objects.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "host/trace/testing/trace_story.hpp"
#include "protocol/semaphore_flags.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kObject = 0x5000;

class Told {
 public:
  Told() : story_(trace), site_(story_.access(EventKind::atomic_update, "Pool", "free", 0, 20)) {}

  void tell(int thread, EventKind kind, std::uint64_t value, std::uint8_t flags,
            std::uint64_t object = kObject) {
    Event made{};
    made.kind = kind;
    made.flags = flags;
    made.thread = ThreadId{static_cast<std::uint16_t>(thread)};
    made.site = site_;
    made.step = ++step_;
    made.object = object;
    made.value = value;
    trace.events({&made, 1});
  }

  KeptTrace trace;

 private:
  samples::Story story_;
  SiteId site_;
  std::uint64_t step_ = 0;
};

// Whatever the schedule, a semaphore's value is what it began with, and all posts, without what was
// taken; who destroys it and makes another one begins anew.
TEST(CountedObjects, SemaphoresCountFromTheirStart) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    Told told;
    const auto start = static_cast<std::int64_t>(random() % 3);
    std::int64_t value = start;
    std::size_t posts = 0;
    std::size_t taken = 0;
    for (int i = 0; i < 20; ++i) {
      const int thread = static_cast<int>(random() % 3);
      const bool takes = random() % 2 == 0;
      if (takes && value == 0) continue;
      value += takes ? -1 : 1;
      ++(takes ? taken : posts);
      told.tell(thread, takes ? EventKind::await : EventKind::signal,
                static_cast<std::uint64_t>(value), kSemaphore);
    }
    const CountedObjects objects(told.trace);
    const CountedObject* one = objects.at(kObject);
    if (posts + taken == 0) {
      EXPECT_EQ(one, nullptr);
      continue;
    }
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->start, start);
    EXPECT_EQ(one->value, value);
    EXPECT_EQ(one->posts.size(), posts);
    EXPECT_EQ(one->passes.size(), taken);
  }
}

TEST(CountedObjects, ADestroyedSemaphoreIsAnotherOne) {
  Told told;
  told.tell(1, EventKind::await, 0, kSemaphore);
  told.tell(1, EventKind::destroy, 0, 0);
  told.tell(1, EventKind::await, 4, kSemaphore);
  const CountedObjects objects(told.trace);
  ASSERT_EQ(objects.all().size(), 2U);
  EXPECT_EQ(objects.all()[0].start, 1);
  EXPECT_EQ(objects.at(kObject)->start, 5);
}

// Two at a time go past a barrier for two, whoever they are.
TEST(CountedObjects, BarriersHaveRounds) {
  Told told;
  for (const int thread : {1, 2, 3, 4}) told.tell(thread, EventKind::thread_begin, 0, 0, 0x100);
  for (const int thread : {1, 2, 3}) told.tell(thread, EventKind::signal, 2, kBarrierCount);
  told.tell(1, EventKind::await, 0, kBarrierCount);
  told.tell(1, EventKind::thread_end, 0, 0, 0);
  told.tell(4, EventKind::signal, 2, kBarrierCount);
  const CountedObjects objects(told.trace);
  const CountedObject* one = objects.at(kObject);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->kind, CountedKind::kBarrier);
  EXPECT_EQ(one->start, 2);
  EXPECT_EQ(one->posts.size(), 4U);
  EXPECT_EQ(one->passes.size(), 1U);
  EXPECT_EQ(one->most_in_round, 2U);
  EXPECT_EQ(most_at_once(*one, told.trace.all()), 4U);
}

}  // namespace
}  // namespace raddle
