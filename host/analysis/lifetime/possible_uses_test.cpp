// Uses that could come after the free, against the definition: every pair of events looked at.
#include "host/analysis/lifetime/possible_uses.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "host/analysis/lifetime/lifetime.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/shadow/extent.hpp"
#include "host/analysis/testing/order_oracle.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

using Uses = std::set<PossibleUse>;

struct Seen {
  Uses uses;
  std::vector<Finding> predicted;
};

Seen seen_in(const TestTrace& trace, std::size_t at_most = std::size_t{1} << 20) {
  Pipeline pipeline{AnalysisOptions{}};
  auto detector = std::make_unique<PossibleUses>(pipeline.state(), at_most);
  const PossibleUses& uses = *detector;
  pipeline.add(std::move(detector));
  trace.feed(pipeline);
  EXPECT_TRUE(pipeline.problems().empty()) << pipeline.problems()[0] << "\n" << describe(trace);
  EXPECT_TRUE(pipeline.findings().empty());  // nobody is told
  return {uses.uses(), uses.predicted()};
}

std::size_t possible(std::string_view text) { return seen_in(trace_of(text)).uses.size(); }

TEST(PossibleUses, WhatOnlyALockOrders) {
  EXPECT_EQ(possible("T1 alloc(x,8); T1 acq(m); T1 r(x); T1 rel(m); T2 acq(m); T2 free(x)"), 1U);
  EXPECT_EQ(possible("T1 acq(m); T1 rel(m); T1 r(x); T1 acq(m); T1 rel(m); T2 acq(m); T2 free(x)"),
            1U);
  EXPECT_EQ(possible("T1 r(x); T2 free(x)"), 1U);
  EXPECT_EQ(possible("T1 load(x,acq); T2 free(x)"), 1U);
}

TEST(PossibleUses, WhatAnythingElseOrdersIsNone) {
  EXPECT_EQ(possible("T1 r(x); T1 free(x)"), 0U);
  EXPECT_EQ(possible("T1 fork(T2); T2 r(x); T1 join(T2); T1 free(x)"), 0U);
  EXPECT_EQ(possible("T1 r(x); T1 signal(s); T2 await(s); T2 free(x)"), 0U);
  EXPECT_EQ(possible("T1 r(x); T1 store(f,rel); T2 load(f,acq); T2 free(x)"), 0U);
}

TEST(PossibleUses, OfOneLifeOfTheBlock) {
  EXPECT_EQ(possible("T1 r(x); T2 alloc(x,8); T2 free(x)"), 0U);
  EXPECT_EQ(possible("T1 free(x); T2 r(x)"), 0U) << "that is a use after free";
  EXPECT_EQ(possible("T1 r(x); T1 free(x); T2 alloc(x,8); T2 free(x)"), 0U);
}

// Where their threads can be kept apart: with a lock that both hold, not between it and the use.
TEST(PossibleUses, WhereToWait) {
  const TestTrace trace = trace_of(
      "T1 acq(n)@1; T1 acq(m)@2; T1 r(x)@3; T1 rel(m); T1 r(x)@4; T1 rel(n);"
      "T2 acq(k)@5; T2 acq(m)@6; T2 free(x)@7");
  const Uses uses = seen_in(trace).uses;
  ASSERT_EQ(uses.size(), 2U);
  const auto line = [&](SiteId site) {
    return site == kNoSite ? 0U : trace.sites[raw(site) - 1].frames[0].line;
  };
  for (const PossibleUse& use : uses) {
    EXPECT_EQ(line(use.free), 7U);
    EXPECT_EQ(line(use.free_locks), 5U);
    EXPECT_EQ(line(use.use_locks), line(use.use) == 3 ? 2U : 0U);
  }
}

// It is the finding that the lifetime detector makes where the use comes second.
TEST(PossibleUses, ThePlaceIsThatOfTheUseAfterFree) {
  const Seen seen = seen_in(trace_of("T1 r(x+16:8)@3; T2 free(x+16)@2"));
  ASSERT_EQ(seen.predicted.size(), 1U);
  EXPECT_EQ(seen.predicted[0].level, FindingLevel::kCandidate);
  Pipeline pipeline{AnalysisOptions{}};
  pipeline.add(make_lifetime_detector(pipeline.state(), AnalysisOptions{}));
  trace_of("T2 free(x+16)@2; T1 r(x+16:8)@3").feed(pipeline);
  ASSERT_EQ(pipeline.findings().size(), 1U);
  EXPECT_EQ(pipeline.findings()[0].place, seen.predicted[0].place);
}

struct Hold {
  std::uint64_t lock;
  SiteId site;
  bool shared;
};

// What the thread of event i holds when it executes i, the outermost first.
std::vector<Hold> held_at(const std::vector<Event>& events, std::size_t i) {
  std::vector<Hold> held;
  for (std::size_t k = 0; k < i; ++k) {
    const Event& e = events[k];
    if (e.thread != events[i].thread) continue;
    if (e.kind == EventKind::acquire && e.value == 1)
      held.push_back({e.object, e.site, (e.flags & kShared) != 0});
    if (e.kind == EventKind::release && e.value == 0)
      std::erase_if(held, [&](const Hold& hold) { return hold.lock == e.object; });
  }
  return held;
}

bool covers(const Event& e, std::uint64_t byte) {
  return byte >= e.object && byte < e.object + e.value;
}

// They have a byte in common that was neither freed nor allocated in between.
bool of_one_life(const std::vector<Event>& events, std::size_t use, std::size_t free) {
  const Extent extent = extent_of(events[use]);
  for (std::uint64_t byte = extent.address; byte < extent.address + extent.bytes; ++byte) {
    if (!covers(events[free], byte)) continue;
    bool lives = true;
    for (std::size_t k = use + 1; k < free; ++k) {
      const EventKind kind = events[k].kind;
      if ((kind == EventKind::allocate || kind == EventKind::free) && covers(events[k], byte))
        lives = false;
    }
    if (lives) return true;
  }
  return false;
}

Uses by_definition(const std::vector<Event>& events) {
  Uses found;
  const OrderOracle order(events, false);
  for (std::size_t j = 0; j < events.size(); ++j) {
    if (events[j].kind != EventKind::free) continue;
    for (std::size_t i = 0; i < j; ++i) {
      const bool uses = is_access(events[i].kind) || atomic_access(events[i]);
      if (!uses || events[i].thread == events[j].thread || order.before(i, j)) continue;
      if (!of_one_life(events, i, j)) continue;
      PossibleUse one{.use = events[i].site, .free = events[j].site};
      const std::vector<Hold> held = held_at(events, j);
      if (!held.empty()) one.free_locks = held.front().site;
      for (const Hold& mine : held_at(events, i))
        for (const Hold& other : held)
          if (one.use_locks == kNoSite && mine.lock == other.lock && !(mine.shared && other.shared))
            one.use_locks = mine.site;
      found.insert(one);
    }
  }
  return found;
}

// Returns how many executions have one.
std::uint64_t compare_many(RandomExecution options) {
  std::uint64_t with = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (const bool own_sites : {false, true}) {
    options.own_sites = own_sites;
    for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed) {
      const TestTrace trace = random_execution(seed, options);
      const Seen seen = seen_in(trace);
      EXPECT_EQ(seen.uses == by_definition(trace.events), true) << "seed " << seed << "\n"
                                                                << describe(trace);
      EXPECT_EQ(seen.predicted.size(), seen.uses.size());
      with += seen.uses.empty() ? 0 : 1;
    }
  }
  // The oracle must have something to say.
  EXPECT_GT(with, traces / 25);
  return with;
}

RandomExecution with_blocks() {
  RandomExecution options;
  options.parts = options.memory = options.allocating = true;
  options.events = 50;
  return options;
}

TEST(PossibleUsesOracle, Locks) { compare_many(with_blocks()); }

TEST(PossibleUsesOracle, EverythingAtOnce) {
  RandomExecution options = with_blocks();
  options.atomics = options.waits = options.blocks = true;
  compare_many(options);
}

// Slots of joined threads are used again.
TEST(PossibleUsesOracle, ShortThreads) {
  RandomExecution options = with_blocks();
  options.brief = true;
  options.threads = 10;
  options.events = 60;
  compare_many(options);
}

// Beyond its bound it forgets, and makes nothing up.
TEST(PossibleUses, Bounded) {
  RandomExecution options = with_blocks();
  options.own_sites = true;
  std::size_t fewer = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const TestTrace trace = random_execution(seed, options);
    const Uses all = seen_in(trace).uses, few = seen_in(trace, 2).uses;
    for (const PossibleUse& use : few) EXPECT_TRUE(all.contains(use));
    fewer += few.size() < all.size() ? 1 : 0;
  }
  EXPECT_GT(fewer, 0U);
}

}  // namespace
}  // namespace raddle
