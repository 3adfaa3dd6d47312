#include "host/describe/explain/lifetimes/lifetime.hpp"
#include "host/report/explanation_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "host/trace/testing/trace_story.hpp"

namespace raddle {
namespace {

std::string explained(const KeptTrace& trace) {
  Symbolizer symbols;
  Failure failure;
  failure.kind = OutcomeKind::kCrash;
  failure.thread = ThreadId{1};
  return explanation_text(explain(trace, failure, symbols), failure, {});
}

// T2 frees what T1 uses after that.
KeptTrace freed_trace(ThreadId user, EventKind use, bool allocated_again) {
  KeptTrace trace;
  samples::Story story(trace);
  const SiteId open = story.allocation("Listener", 24, 40);
  const SiteId close = story.at("close", "/src/bank.cpp", 50);
  const SiteId access = story.access(use, "Listener", "(vptr)", 0, 17, 0, "publish");
  story.event(EventKind::allocate, 0x5000, open, 24);
  story.thread = user;
  story.event(use, 0x5000, access);
  story.thread = ThreadId{2};
  ++story.step;
  story.event(EventKind::free, 0x5000, close, 24);
  if (allocated_again) story.event(EventKind::allocate, 0x4ff0, open, 24);
  story.thread = user;
  ++story.step;
  story.event(use, 0x5000, access);
  return trace;
}

TEST(Explanation, UseAfterFree) {
  const std::string text = explained(freed_trace(ThreadId{1}, EventKind::read, false));
  for (const char* part :
       {"use after free: Listener",
        "T1 used it at bank.cpp:17 after T2 had freed it at bank.cpp:50", "frees Listener",
        "calls a function of it", "Suggestion: keep the object alive"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("vptr"), std::string::npos) << text;
  EXPECT_EQ(text.find("mutex"), std::string::npos) << text;
  EXPECT_EQ(text.find("atomic"), std::string::npos) << text;
  const std::string own = explained(freed_trace(ThreadId{2}, EventKind::write, false));
  EXPECT_NE(own.find("live until its last use"), std::string::npos) << own;
}

// T1 had a lock when it got the object; T2 takes it before it frees that.
TEST(Explanation, ALockThatWouldHaveKeptTheObject) {
  const auto told = [](bool later) {
    KeptTrace trace;
    samples::Story story(trace);
    const SiteId close = story.at("close", "/src/bank.cpp", 50);
    const SiteId access = story.access(EventKind::read, "Listener", "count_", 8, 17, 0, "publish");
    const SiteId lock = story.at("publish", "/src/bank.cpp", 12);
    trace.define_object(0x6000, 40, "mutex");
    const auto section = [&](std::uint16_t thread) {
      story.thread = ThreadId{thread};
      ++story.step;
      story.event(EventKind::acquire, 0x6000, lock, 1);
      story.event(EventKind::release, 0x6000, lock, 0);
    };
    story.event(EventKind::allocate, 0x5000, story.allocation("Listener", 24, 40), 24);
    if (!later) section(2);
    section(1);
    if (later) section(2);
    story.thread = ThreadId{2};
    story.event(EventKind::free, 0x5000, close, 24);
    story.thread = ThreadId{1};
    ++story.step;
    story.event(EventKind::read, 0x5008, access);
    return explained(trace);
  };
  EXPECT_NE(told(true).find("Suggestion: hold mutex from bank.cpp:12 until T1 no longer uses"),
            std::string::npos)
      << told(true);
  // T2 had done with the lock before: holding it would have kept nobody from freeing.
  EXPECT_NE(told(false).find("Suggestion: keep the object alive"), std::string::npos)
      << told(false);
  for (const bool later : {true, false}) {
    EXPECT_EQ(told(later).find("would not do"), std::string::npos) << told(later);
  }
}

// Both free what one pointer points to. If one of them has a lock, none is missing: the other one
// does without it, or it lies in what is gone.
TEST(Explanation, FreedTwiceWithALock) {
  const auto told = [](bool locked) {
    KeptTrace trace;
    samples::Story story(trace);
    const SiteId close = story.at("close", "/src/bank.cpp", 50);
    const SiteId lock = story.at("close", "/src/bank.cpp", 49);
    const auto pointer = [&](EventKind kind, std::uint32_t line, std::uint64_t value) {
      Event made;
      made.kind = kind;
      made.thread = story.thread;
      made.step = ++story.step;
      made.object = 0x7000;
      made.site = story.access(kind, "Bank", "book", 0, line, 0, "close");
      made.value = value;
      made.size = 8;
      trace.events({&made, 1});
    };
    trace.define_object(0x6000, 40, "mutex");
    trace.define_object(0x7000, 8, "bank");
    story.event(EventKind::allocate, 0x5000, story.allocation("Book", 24, 40), 24);
    story.thread = ThreadId{1};
    pointer(EventKind::read, 48, 0x5000);
    story.thread = ThreadId{2};
    if (locked) story.event(EventKind::acquire, 0x6000, lock, 1);
    pointer(EventKind::read, 48, 0x5000);
    story.event(EventKind::free, 0x5000, close, 24);
    pointer(EventKind::write, 51, 0);
    story.thread = ThreadId{1};
    ++story.step;
    story.event(EventKind::free, 0x5000, close, 24);
    return explained(trace);
  };
  EXPECT_NE(told(false).find("with a mutex, held from the read"), std::string::npos) << told(false);
  EXPECT_NE(told(true).find("freed twice"), std::string::npos) << told(true);
  EXPECT_EQ(told(true).find("with a mutex"), std::string::npos) << told(true);
}

TEST(Explanation, MemoryThatIsAllocatedAgainIsNotFreed) {
  const std::string text = explained(freed_trace(ThreadId{1}, EventKind::read, true));
  EXPECT_EQ(text.find("use after free"), std::string::npos) << text;
}

// Random allocations, frees and accesses against a map of every byte.
TEST(UseAfterFree, AgainstAMapOfBytes) {
  std::mt19937 random(2);
  int with = 0;
  for (int round = 0; round < 3000; ++round) {
    KeptTrace trace;
    samples::Story story(trace);
    const SiteId site = story.at("f", "/src/bank.cpp", 1);
    std::map<std::uint64_t, std::uint64_t> live;
    std::map<std::uint64_t, std::size_t> gone;  // byte: the free
    std::optional<std::pair<std::size_t, std::size_t>> expected;
    for (std::size_t i = 0; i < 30; ++i) {
      const std::uint64_t address = 0x1000 + random() % 8 * 4;
      const std::uint64_t bytes = 1 + random() % 12;
      const auto overlaps = [&](const auto& one) {
        return one.first < address + bytes && address < one.first + one.second;
      };
      const auto what = random() % 3;
      if (what == 0 && std::none_of(live.begin(), live.end(), overlaps)) {
        story.event(EventKind::allocate, address, site, bytes);
        live[address] = bytes;
        for (std::uint64_t b = address; b < address + bytes; ++b) gone.erase(b);
        // A block that is partly used again is not looked at any more.
        for (auto one = gone.begin(); one != gone.end();) {
          const Event& old = trace.all()[one->second];
          const bool cut = old.object < address + bytes && address < old.object + old.value;
          one = cut ? gone.erase(one) : std::next(one);
        }
      } else if (what == 1 && live.contains(address)) {
        const std::size_t index = trace.all().size();
        story.event(EventKind::free, address, site, live[address]);
        for (std::uint64_t b = address; b < address + live[address]; ++b) gone[b] = index;
        live.erase(address);
      } else {
        if (!expected && gone.contains(address)) {
          expected = {gone[address], trace.all().size()};
        }
        story.event(EventKind::read, address, site);
      }
    }
    const auto found = find_use_after_free(trace, kMainThread);
    ASSERT_EQ(found.has_value(), expected.has_value()) << round;
    with += found ? 1 : 0;
    if (!found) continue;
    EXPECT_EQ(found->freed, expected->first);
    EXPECT_EQ(found->used, expected->second);
  }
  EXPECT_GT(with, 1000);
}

// A table of functions that one thread writes in a destructor and another reads.
TEST(Explanation, ATableOfFunctionsIsNothingToGuard) {
  KeptTrace trace;
  samples::Story story(trace);
  const SiteId call = story.access(EventKind::read, "Listener", "(vptr)", 0, 17, 0, "publish");
  const SiteId destroy =
      story.access(EventKind::write, "Listener", "(vptr)", 0, 9, 0, "Listener::~Listener");
  story.thread = ThreadId{1};
  story.event(EventKind::read, 0x5000, call);
  story.thread = ThreadId{2};
  ++story.step;
  story.event(EventKind::write, 0x5000, destroy, 7);
  const std::string text = explained(trace);
  for (const char* part :
       {"destroyed while in use: Listener", "T2 destroys the object at bank.cpp:9",
        "Suggestion: keep the object alive as long as T1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  for (const char* part : {"mutex", "make it atomic", "No lock"}) {
    EXPECT_EQ(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace raddle
