#include "host/analysis/model/execution_state.hpp"

#include <gtest/gtest.h>

#include <random>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

// ExecutionState after all events of a text.
struct After {
  explicit After(const char* text) : trace(trace_of(text)), state(trace.namer()) {
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
      state.define_site(SiteId(std::uint32_t(i + 1)), trace.sites[i]);
    for (const Event& event : trace.events) state.on_event(event);
  }
  std::vector<std::string> held(int thread) const {
    std::vector<std::string> names;
    for (const HeldLock& lock : state.locks(ThreadId(std::uint16_t(thread))))
      names.push_back(state.name(lock.lock) + (lock.shared ? " (read)" : ""));
    return names;
  }
  TestTrace trace;
  ExecutionState state;
};

using Names = std::vector<std::string>;

TEST(ExecutionState, LocksOutermostFirstWhateverTheOrderOfRelease) {
  After after("T1 acq(a); T1 acq(b); T1 racq(c); T1 rel(b)");
  EXPECT_EQ(after.held(1), (Names{"a", "c (read)"}));
  EXPECT_EQ(after.state.locks(after.state.held(ThreadId{1})), after.state.locks(ThreadId{1}));
  EXPECT_TRUE(after.state.problems().empty());
}

TEST(ExecutionState, OnlyTheOutermostAcquireAndReleaseCount) {
  const TestTrace trace = trace_of("T1 acq(m); T1 acq(m); T1 rel(m); T1 rel(m)");
  ExecutionState state(trace.namer());
  std::vector<bool> outermost;
  for (const Event& event : trace.events) {
    state.on_event(event);
    if (event.kind == EventKind::acquire || event.kind == EventKind::release)
      outermost.push_back(state.outermost());
  }
  EXPECT_EQ(outermost, (std::vector<bool>{true, false, false, true}));
  EXPECT_EQ(state.held(ThreadId{1}), kNothingHeld);
}

TEST(ExecutionState, TheModeOfAReleaseIsThatOfItsAcquire) {
  TestTrace trace = trace_of("T1 racq(m); T1 rel(m)");  // the unlock does not say for reading
  ExecutionState state;
  for (const Event& event : trace.events) state.on_event(event);
  EXPECT_TRUE(state.outermost());
  EXPECT_TRUE(state.shared());
}

TEST(ExecutionState, ALockKeepsItsNameWhenItIsGone) {
  std::string name = "Account::mutex #1";
  Namer namer;
  namer.object = [&](std::uint64_t) { return name; };
  ExecutionState state(namer);
  Event event{};
  event.object = 0x5000;
  event.value = 1;
  event.kind = EventKind::acquire;
  state.on_event(event);
  event.kind = EventKind::release;
  state.on_event(event);
  event.kind = EventKind::destroy;
  state.on_event(event);
  name.clear();
  EXPECT_EQ(state.name(0x5000), "Account::mutex #1");
  EXPECT_EQ(state.name(0x6000), "0x6000");
  // What is there next is another lock.
  name = "Account::mutex #2";
  event.kind = EventKind::acquire;
  state.on_event(event);
  name.clear();
  EXPECT_EQ(state.name(0x5000), "Account::mutex #2");
}

TEST(ExecutionState, ALockWithoutANameIsCalledByItsFirstPlace) {
  ExecutionState state;
  Site site;
  site.frames = {{"lock", "/usr/include/c++/12/bits/std_mutex.h", 100, 0},
                 {"Pool::take", "/src/pool.cpp", 12, 0}};
  state.define_site(SiteId{1}, site);
  Event event{};
  event.site = SiteId{1};
  event.object = 0x5000;
  event.value = 1;
  event.kind = EventKind::acquire;
  state.on_event(event);
  EXPECT_EQ(state.name(0x5000), "the lock first taken at pool.cpp:12");
}

TEST(ExecutionState, Stacks) {
  After after("T1 enter(main); T1 enter(f); T1 enter(g); T1 exit; T1 r(x)");
  const auto frames = after.state.frames(after.state.stack(ThreadId{1}));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(after.state.function(frames[0]), "f");
  EXPECT_EQ(after.state.function(frames[1]), "main");
  EXPECT_EQ(after.state.depth(after.state.stack(ThreadId{1})), 2U);
}

TEST(ExecutionState, APointRemembersWhereAndWithWhat) {
  const TestTrace trace = trace_of("T1 enter(f); T1 acq(m); T1 w(x)@12; T1 rel(m); T1 exit");
  ExecutionState state(trace.namer());
  for (std::size_t i = 0; i < trace.sites.size(); ++i)
    state.define_site(SiteId(std::uint32_t(i + 1)), trace.sites[i]);
  PointId point{};
  Event access{};
  for (const Event& event : trace.events) {
    state.on_event(event);
    if (event.kind != EventKind::write) continue;
    point = state.point(event);
    access = event;
  }
  const FindingStep step = state.step(point, access.object, access.step, FindingRole::writes);
  EXPECT_EQ(step.object, "x");
  EXPECT_EQ(step.locks, Names{"m"});
  ASSERT_EQ(step.stack.size(), 1U);
  EXPECT_EQ(state.function(step.stack[0]), "f");
  EXPECT_EQ(step.event.site, access.site);
  EXPECT_EQ(step.event.thread, access.thread);
  EXPECT_EQ(step.event.context, access.context);
}

TEST(ExecutionState, MalformedStreamsAreLocatedAndGoOn) {
  After after(
      "bare; T0 fork(T1); T1 begin; T1 rel(m); T1 exit; T1 endblock; T1 endunit; T0 fork(T1);"
      "T0 join(T7); T3 r(x); T1 end; T1 r(x); T1 acq(m)");
  EXPECT_EQ(
      after.state.problems(),
      (Names{"event 3: T1 releases m, which it does not hold",
             "event 4: T1 leaves a function that it did not enter",
             "event 5: T1: atomic block exit without its begin",
             "event 6: T1: unit exit without its begin", "event 7: T0 creates T1, which exists",
             "event 8: T0 joins T7, which was never created", "event 9: T3 was never created",
             "event 11: T1 does something after its end"}));
  EXPECT_EQ(after.held(1), Names{"m"});
}

TEST(ExecutionState, ProblemsAreBounded) {
  ExecutionState state({}, 3);
  Event event{};
  event.kind = EventKind::release;
  for (int i = 0; i < 1000; ++i) state.on_event(event);
  EXPECT_EQ(state.problems().size(), 3U);
  EXPECT_EQ(state.problem_count(), 1000U);
}

TEST(ExecutionState, AThreadIdThatIsUsedAgainIsANewThread) {
  After after("bare; T0 fork(T1); T1 begin; T1 acq(m); T1 end; T0 join(T1); T0 fork(T1); T1 begin");
  EXPECT_TRUE(after.state.problems().empty());
  EXPECT_EQ(after.state.threads(), 3U);
  EXPECT_EQ(after.state.index(ThreadId{1}), 2U);
  EXPECT_TRUE(after.held(1).empty());
}

TEST(ExecutionState, AnUnknownSiteIsAProblem) {
  ExecutionState state;
  Event event{};
  event.kind = EventKind::read;
  event.site = SiteId{99};
  state.on_event(event);
  EXPECT_EQ(state.problems(), Names{"event 1: read at unknown site 99"});
  EXPECT_EQ(state.site(SiteId{99}), Site{});
}

// Every field of every event at random: nothing crashes, memory stays small, and the same stream
// gives the same findings.
TEST(ExecutionState, HostileStreams) {
  const auto run = [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto any = [&](std::uint64_t bound) { return random() % bound; };
    auto made = Pipeline::make({});
    Pipeline& pipeline = **made;
    pipeline.define_site(SiteId{7}, Site{});  // out of order
    for (std::uint32_t i = 1; i < 6; ++i) {
      Site site;
      site.flags = static_cast<std::uint8_t>(random());
      pipeline.define_site(SiteId{i}, site);
    }
    std::vector<Event> events(4000);
    for (Event& event : events) {
      event.kind = static_cast<EventKind>(any(kEventKinds + 2));
      event.flags = static_cast<std::uint8_t>(random());
      event.size = static_cast<std::uint16_t>(any(500) == 0 ? any(65536) : any(10));
      event.thread = ThreadId{static_cast<std::uint16_t>(any(50) == 0 ? any(65536) : any(5))};
      event.site = SiteId{static_cast<std::uint32_t>(any(20) == 0 ? random() : any(8))};
      event.object = any(20) == 0 ? random() | (any(2) == 0 ? ~0xffULL : 0) : 4096 + any(64);
      event.value = any(20) == 0 ? any(2) == 0 ? random() % 1'000'000 : random() : any(6);
      if (event.kind == EventKind::read_range || event.kind == EventKind::write_range)
        event.value %= any(50) == 0 ? 5000 : 40;
    }
    pipeline.events(events);
    pipeline.end({});
    std::string text;
    for (const Finding& finding : pipeline.findings())
      text += finding.what + std::to_string(finding.count) + "\n";
    return text;
  };
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::string text = run(seed);
    if (seed % 10 == 0) {
      EXPECT_EQ(text, run(seed));
    }
  }
}

TEST(ExecutionState, APlaceIsTheSameInEveryCheckout) {
  const auto stable = [](const std::string& file) {
    ExecutionState state;
    Site site;
    site.frames.push_back({"f", file, 7, 1});
    site.stable = stable_hash(site);
    state.define_site(SiteId{1}, site);
    return state.stable(SiteId{1});
  };
  EXPECT_EQ(stable("/home/one/project/src/a.cpp"), stable("/tmp/other/src/a.cpp"));
  EXPECT_NE(stable("/home/one/project/src/a.cpp"), stable("/home/one/project/lib/a.cpp"));
  EXPECT_NE(stable("/home/one/project/src/a.cpp"), stable("/home/one/project/src/b.cpp"));
  EXPECT_EQ(stable("a.cpp"), stable("a.cpp"));
  EXPECT_NE(stable("/a.cpp"), stable("/b.cpp"));
}

}  // namespace
}  // namespace raddle
