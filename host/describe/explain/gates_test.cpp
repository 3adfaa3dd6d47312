#include "host/describe/explain/gates.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "host/trace/testing/trace_story.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kGate = 0x5000;

void tell(KeptTrace& trace, const samples::Story& story, EventKind kind, std::uint64_t object,
          SiteId where, std::uint64_t read, std::uint64_t written = 0) {
  Event made{};
  made.kind = kind;
  made.thread = story.thread;
  made.site = where;
  made.step = story.step;
  made.object = object;
  made.size = 4;
  made.value = read;
  made.value2 = written;
  trace.events({&made, 1});
}

// An execution of threads that pass a gate, use something, and leave, in a random order.
struct Passing {
  KeptTrace trace;
  bool together = false;  // two of them were inside at a time
};

Passing passing(std::mt19937& random, bool in_two_steps) {
  Passing made;
  samples::Story story(made.trace);
  const SiteId look = story.access(EventKind::atomic_load, "Lock", "held_", 0, 20);
  const SiteId set = story.access(EventKind::atomic_store, "Lock", "held_", 0, 21);
  const SiteId swap = story.access(EventKind::atomic_update, "Lock", "held_", 0, 22);
  std::uint64_t held = 0;
  int inside = 0;
  std::map<int, int> at;  // by thread: 0 before, 1 looked, 2 inside, 3 done
  for (int moves = 0; moves < 200; ++moves) {
    const int thread = static_cast<int>(random() % 3) + 1;
    story.thread = ThreadId{static_cast<std::uint16_t>(thread)};
    ++story.step;
    int& now = at[thread];
    if (now == 0 && in_two_steps) {
      tell(made.trace, story, EventKind::atomic_load, kGate, look, held);
      if (held == 0) now = 1;
    } else if (now == 0) {
      tell(made.trace, story, EventKind::atomic_update, kGate, swap, held, 1);
      if (held == 0) now = 2;
      held = 1;
      if (now == 2) ++inside;
    } else if (now == 1) {
      tell(made.trace, story, EventKind::atomic_store, kGate, set, held, 1);
      held = 1;
      now = 2;
      ++inside;
    } else if (now == 2) {
      tell(made.trace, story, EventKind::atomic_store, kGate, set, held, 0);
      held = 0;
      now = 3;
      --inside;
    }
    made.together = made.together || inside > 1;
  }
  return made;
}

TEST(Gates, TwoAreInsideIfOneSetItBetweenTheOthersLookAndSet) {
  std::mt19937 random(7);
  Symbolizer symbols;
  int together = 0;
  for (int i = 0; i < 2000; ++i) {
    const Passing made = passing(random, true);
    together += made.together ? 1 : 0;
    EXPECT_EQ(find_broken_gate(made.trace, symbols).has_value(), made.together);
  }
  EXPECT_GT(together, 500);
}

TEST(Gates, OneOperationKeepsOthersOut) {
  std::mt19937 random(8);
  Symbolizer symbols;
  for (int i = 0; i < 500; ++i) {
    const Passing made = passing(random, false);
    EXPECT_FALSE(made.together);
    EXPECT_FALSE(find_broken_gate(made.trace, symbols));
  }
}

// A flag that nobody takes back, and a count: no gates.
TEST(Gates, NotEveryVariableIsOne) {
  KeptTrace trace;
  samples::Story story(trace);
  const SiteId look = story.access(EventKind::atomic_load, "Job", "done_", 0, 20);
  const SiteId set = story.access(EventKind::atomic_store, "Job", "done_", 0, 21);
  const SiteId count = story.access(EventKind::atomic_update, "Job", "count_", 8, 22);
  for (const std::uint16_t thread : {1, 2}) {
    story.thread = ThreadId{thread};
    tell(trace, story, EventKind::atomic_load, 0x6000, look, 0);
    tell(trace, story, EventKind::atomic_update, 0x6008, count, thread - 1U, thread);
  }
  for (const std::uint16_t thread : {1, 2}) {
    story.thread = ThreadId{thread};
    tell(trace, story, EventKind::atomic_store, 0x6000, set, thread - 1U, 1);
    tell(trace, story, EventKind::atomic_update, 0x6008, count, 3U - thread, 2U - thread);
  }
  Symbolizer symbols;
  EXPECT_FALSE(find_broken_gate(trace, symbols));
}

}  // namespace
}  // namespace raddle
