#include "host/describe/explain/events/folded_calls.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/trace/testing/event_samples.hpp"

namespace raddle {
namespace {

const std::string kHeader = "/usr/include/c++/12/bits/stl_deque.h";
constexpr std::uint64_t kCaller = 0x1234;  // a return address, of which nothing is known

struct Calls {
  void enters(const std::string& name, const std::string& file) {
    story.event(EventKind::enter, 0, story.function(name, "", 0, file), kCaller);
  }
  void leaves() { story.event(EventKind::exit, 0); }
  void reads(const std::string& in, const std::string& file) {
    story.event(EventKind::read, 0x5000, story.at(in, file, 7, EventKind::read));
  }
  std::vector<EventKind> folded() {
    const KeptTrace folded = fold_library_calls(trace, symbols);
    std::vector<EventKind> kinds;
    for (const Event& event : folded.all()) kinds.push_back(event.kind);
    return kinds;
  }

  KeptTrace trace;
  samples::Story story{trace};
  Symbolizer symbols;
};

TEST(FoldedCalls, WhatTheProgramCallsInAHeaderIsPartOfItsCaller) {
  Calls calls;
  calls.enters("take", "/src/queue.cpp");
  calls.enters("std::deque::empty", kHeader);
  calls.reads("std::deque::empty", kHeader);
  calls.leaves();
  calls.leaves();
  EXPECT_EQ(calls.folded(), (std::vector{EventKind::enter, EventKind::none, EventKind::read,
                                         EventKind::none, EventKind::exit}));
  const KeptTrace folded = fold_library_calls(calls.trace, calls.symbols);
  const std::size_t before = calls.trace.site(calls.trace.all()[2].site).frames.size();
  EXPECT_GT(folded.site(folded.all()[2].site).frames.size(), before);
}

TEST(FoldedCalls, WhatCallsTheProgramBackStaysACall) {
  Calls calls;
  calls.enters("take", "/src/queue.cpp");
  calls.enters("std::condition_variable::wait", kHeader);
  calls.enters("is_ready", "/src/queue.cpp");
  calls.leaves();
  calls.leaves();
  calls.leaves();
  EXPECT_EQ(calls.folded(), (std::vector{EventKind::enter, EventKind::enter, EventKind::enter,
                                         EventKind::exit, EventKind::exit, EventKind::exit}));
}

TEST(FoldedCalls, WhatTheLibraryCallsOnItsOwnStaysACall) {
  Calls calls;
  calls.enters("std::thread::_M_run", kHeader);
  calls.reads("std::thread::_M_run", kHeader);
  calls.leaves();
  EXPECT_EQ(calls.folded(), (std::vector{EventKind::enter, EventKind::read, EventKind::exit}));
}

}  // namespace
}  // namespace raddle
