#include "host/report/trace_text.hpp"
#include "host/describe/op_classes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "host/base/printable.hpp"
#include "host/report/words/event_words.hpp"
#include "host/trace/testing/trace_story.hpp"
#include "protocol/site.hpp"

namespace raddle {
namespace {

using samples::Story;
using samples::tell_bank;

std::string text_of(const TraceFilter& filter, int width = 80) {
  std::string text;
  TextOptions look;
  look.width = width;
  TraceText printer(filter, look, [&](std::string_view more) { text += more; });
  tell_bank(printer);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TraceTextTest, OneColumnPerThread) {
  EXPECT_EQ(text_of({}), R"(./bank 70  (strategy random, seed 7, with memory accesses)

      T0 main                  T1 "teller-1"            T2 teller
      -----------------------  -----------------------  -----------------------
   0  bank.cpp:40  allocate
        Account
        #1@bank.cpp:40, 48
        bytes
   1  bank.cpp:41  fork T1
        "teller-1"
   2  bank.cpp:41  fork T2
   3                           begin
   3                           bank.cpp:10  enter
                                 teller
   4                                                    begin
   4                                                    bank.cpp:10  enter
                                                          teller
   5                           bank.cpp:12  acquire
                                 Account::m_
                                 #1@bank.cpp:40
   5                           bank.cpp:13  read
                                 Account::balance_
                                 #1@bank.cpp:40 = 100
   6                           bank.cpp:12  release
                                 Account::m_
                                 #1@bank.cpp:40
   7                                                    bank.cpp:12  acquire
                                                          Account::m_
                                                          #1@bank.cpp:40
   7                                                    bank.cpp:13  read
                                                          Account::balance_
                                                          #1@bank.cpp:40 = 100
   8                                                    bank.cpp:12  release
                                                          Account::m_
                                                          #1@bank.cpp:40
   8                                                    bank.cpp:18  write
                                                          Account::balance_
                                                          #1@bank.cpp:40 = 30
   9                           bank.cpp:18  write
                                 Account::balance_
                                 #1@bank.cpp:40 = -40

15 of 17 events, 3 threads, 10 steps; assertion: assertion `balance_ >= 0'
  failed (--all shows all)
)");
}

TEST(TraceTextTest, TwoThreadsAreWide) {
  TraceFilter filter;
  filter.threads = {"T1", "2"};
  filter.kinds = {EventKind::read, EventKind::write};
  EXPECT_EQ(text_of(filter, 100), R"(./bank 70  (strategy random, seed 7, with memory accesses)

      T1 "teller-1"                                   T2 teller
      ----------------------------------------------  ----------------------------------------------
   5  bank.cpp:13  read Account::balance_
        #1@bank.cpp:40 = 100
   7                                                  bank.cpp:13  read Account::balance_
                                                        #1@bank.cpp:40 = 100
   8                                                  bank.cpp:18  write Account::balance_
                                                        #1@bank.cpp:40 = 30
   9  bank.cpp:18  write Account::balance_
        #1@bank.cpp:40 = -40

4 of 17 events, 3 threads, 10 steps; assertion: assertion `balance_ >= 0' failed
)");
}

TEST(TraceTextTest, NoLineIsWiderThanAskedFor) {
  for (int width : {40, 57, 80, 100, 160}) {
    for (const std::string& line : lines_of(text_of({}, width))) {
      EXPECT_LE(text_width(line), static_cast<std::size_t>(width)) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
  }
}

// Threads that do not fit side by side, then few of them again.
TEST(TraceTextTest, ManyThreadsAreAList) {
  std::string text;
  TraceText printer({}, TextOptions{}, [&](std::string_view more) { text += more; });
  Story story(printer);
  const SiteId site = story.at("worker", "/src/pool.cpp", 5);
  for (int i = 0; i < 2500; ++i) {
    story.thread = ThreadId{static_cast<std::uint16_t>(i < 1000 ? i % 20 : 3 + i % 2)};
    story.step = static_cast<std::uint64_t>(i);
    story.event(EventKind::acquire, 0x1000, site, 1);
  }
  printer.end({true, "passed", "", 2500});
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_GT(lines.size(), 2500u);
  EXPECT_EQ(lines[0],
            "20 threads are too many for columns here: one line for each event (--thread");
  EXPECT_EQ(lines[1], "  chooses)");
  EXPECT_EQ(lines[2], "   0  T0    pool.cpp:5          acquire 0x1000");
  EXPECT_EQ(lines[21], "  19  T19   pool.cpp:5          acquire 0x1000");
  // Titles once, and again only when the columns change.
  const auto title = [](const std::string& line) { return line.rfind("      T3", 0) == 0; };
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), title), 1);
  EXPECT_EQ(lines.back(), "2,500 events, 20 threads, 2,500 steps; passed");
}

TEST(TraceTextTest, WritesAsItGoes) {
  std::size_t pieces = 0;
  std::size_t largest = 0;
  TraceText printer({}, TextOptions{}, [&](std::string_view more) {
    ++pieces;
    largest = std::max(largest, more.size());
  });
  Story story(printer);
  const SiteId site = story.at("worker", "/src/pool.cpp", 5);
  for (int i = 0; i < 100'000; ++i) story.event(EventKind::acquire, 0x1000, site, 1);
  printer.flush();
  EXPECT_EQ(pieces, 100u);
  EXPECT_LT(largest, 200'000u);
}

TEST(TraceTextTest, SaysThatNothingMatches) {
  TraceFilter filter;
  filter.threads = {"9"};
  std::string text;
  TraceText printer(filter, TextOptions{}, [&](std::string_view more) { text += more; });
  tell_bank(printer);
  EXPECT_EQ(printer.nothing_shown(),
            "none of the 17 events matches all that was asked for; threads are T0 main, "
            "T1 \"teller-1\", T2 teller");
  filter = {};
  filter.first_step = 100;
  TraceText late(filter, TextOptions{}, [](std::string_view) {});
  tell_bank(late);
  EXPECT_EQ(late.nothing_shown(),
            "none of the 17 events matches all that was asked for: the last step is 9");
  TraceText empty({}, TextOptions{}, [](std::string_view) {});
  EXPECT_EQ(empty.nothing_shown(), "the trace has no events");
}

TEST(TraceTextTest, HostileNamesDoNotReachTheTerminal) {
  std::string text;
  TraceText printer({}, TextOptions{}, [&](std::string_view more) { text += more; });
  TraceHeader header;
  header.program = "a\x1b[2Jb";
  printer.begin(header);
  printer.define_thread(ThreadId{0}, "x\ny\x1b");
  printer.define_object(0x1000, 8, "evil\x1b]0;\x07\xff");
  Story story(printer);
  story.event(EventKind::read, 0x1000, story.at("f\r\n", "/a\x1b.cpp", 3), 5);
  printer.end({});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_NE(text.find("breaks off"), std::string::npos);
}

std::string words_of(Event event, std::uint8_t site_flags = 0) {
  ObjectNames names;
  Story story(names);
  names.define_object(0x1000, 8, "x");
  names.define_object(0x2000, 8, "m");
  names.define_object(0x7f0000001000, 64, "target");
  Site named;
  named.field = "checkout";
  named.frames = {{"shop", "/src/shop.cpp", 3, 1}};
  named.flags = site_flags;
  event.site = story.site(named);
  names.event(event);
  return event_words(event, names, NameForm::kShort);
}

Event make(EventKind kind, std::uint64_t value = 0, std::uint64_t value2 = 0,
           std::uint8_t flags = 0, std::uint16_t size = 8) {
  Event event{};
  event.kind = kind;
  event.object = 0x1000;
  event.value = value;
  event.value2 = value2;
  event.flags = flags;
  event.size = size;
  return event;
}

// Several members at once, or a floating-point number.
TEST(EventWordsTest, BytesThatAreNoNumberAreNotShown) {
  EXPECT_EQ(words_of(make(EventKind::read, 5), kSiteNoNumber), "read x");
  EXPECT_EQ(words_of(make(EventKind::atomic_update, 1, 2), kSiteNoNumber),
            "atomic update x (relaxed)");
}

TEST(EventWordsTest, EveryKindHasWords) {
  const auto order = [](MemoryOrder o) { return static_cast<std::uint8_t>(o); };
  EXPECT_EQ(words_of(make(EventKind::read, 5)), "read x = 5");
  EXPECT_EQ(words_of(make(EventKind::read, 5, 0, kNoValue)), "read x");
  EXPECT_EQ(words_of(make(EventKind::write_range, 24)), "write range x, 24 bytes");
  EXPECT_EQ(words_of(make(EventKind::atomic_load, 1, 0, order(MemoryOrder::kAcquire))),
            "atomic load x = 1 (acquire)");
  EXPECT_EQ(words_of(make(EventKind::atomic_store, 0, 2, order(MemoryOrder::kRelease))),
            "atomic store x = 2 (release)");
  EXPECT_EQ(words_of(make(EventKind::atomic_update, 1, 2, order(MemoryOrder::kRelaxed))),
            "atomic update x: 1 -> 2 (relaxed)");
  EXPECT_EQ(words_of(make(EventKind::atomic_compare, 1, 2, order(MemoryOrder::kSeqCst) | kSuccess)),
            "atomic compare-exchange x: 1 -> 2 (seq_cst)");
  EXPECT_EQ(words_of(make(EventKind::atomic_compare, 1, 2, order(MemoryOrder::kSeqCst))),
            "atomic compare-exchange x: 1 stays (seq_cst)");
  EXPECT_EQ(words_of(make(EventKind::acquire, 1)), "acquire x");
  EXPECT_EQ(words_of(make(EventKind::acquire, 2, 0, kShared)), "acquire x (shared) (depth 2)");
  EXPECT_EQ(words_of(make(EventKind::release, 0, 0, kByWait)), "release x (by the wait)");
  EXPECT_EQ(words_of(make(EventKind::wait, 0x2000)), "wait on x with m");
  EXPECT_EQ(words_of(make(EventKind::wake, 1)), "wake from x (timed out)");
  EXPECT_EQ(words_of(make(EventKind::notify, 1)), "notify x, 1 woken");
  EXPECT_EQ(words_of(make(EventKind::notify, 3, 0, kAll)), "notify all of x, 3 woken");
  EXPECT_EQ(words_of(make(EventKind::fork, 4)), "fork T4");
  EXPECT_EQ(words_of(make(EventKind::user, 7)), "event checkout = 7");
  EXPECT_EQ(words_of(make(EventKind::block_enter)), "atomic block enter checkout on x");
  EXPECT_EQ(words_of(make(EventKind::enter)), "enter shop on x");
  EXPECT_EQ(words_of(make(EventKind::fence, 0, 0, order(MemoryOrder::kAcqRel))), "fence (acq_rel)");
  Event decision = make(EventKind::decision, std::uint64_t(OpKind::mutex_trylock));
  decision.object = 3;
  EXPECT_EQ(words_of(decision), "trylock mutex #3");
  EXPECT_FALSE(is_shown_by_event(decision));
  decision.value = std::uint64_t(OpKind::mutex_lock);
  EXPECT_TRUE(is_shown_by_event(decision));
  for (int kind = 0; kind < 256; ++kind) {
    EXPECT_FALSE(words_of(make(static_cast<EventKind>(kind), ~0ull, 1, 0xff)).empty()) << kind;
  }
}

TEST(EventWordsTest, Values) {
  ObjectNames names;
  names.define_object(0x7f0000001000, 64, "target");
  EXPECT_EQ(value_words(100, 4, names), "100");
  EXPECT_EQ(value_words(0xffffffd8, 4, names), "-40");
  EXPECT_EQ(value_words(~0ull - 39, 4, names), "-40");  // of which 4 bytes count
  EXPECT_EQ(value_words(0xff, 1, names), "-1");
  EXPECT_EQ(value_words(200, 1, names), "200");
  EXPECT_EQ(value_words(~0ull, 8, names), "-1");
  EXPECT_EQ(value_words(0x7f0000001000, 8, names), "&target");
  EXPECT_EQ(value_words(0x7f0000001008, 8, names), "&target+0x8");
  EXPECT_EQ(value_words(0x7f0000002000, 8, names), "0x7f0000002000");
  EXPECT_EQ(value_words(5, 0, names), "5");
}

}  // namespace
}  // namespace raddle
