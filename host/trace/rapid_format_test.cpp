#include "host/trace/rapid_format.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "host/trace/testing/trace_keeping_sink.hpp"
#include "host/trace/testing/trace_samples.hpp"

namespace raddle {
namespace {

std::string exported(const SampleTrace& trace) {
  std::string text;
  feed(trace, *RapidExporter::into(&text));
  return text;
}

// Imported and exported again.
std::string again(std::string_view text) {
  std::string out;
  const auto summary = parse_std(text, "text", *RapidExporter::into(&out));
  EXPECT_TRUE(summary) << summary.error();
  return out;
}

std::string refused(std::string_view text) {
  KeepingSink sink;
  const auto summary = parse_std(text, "x.std", sink);
  EXPECT_FALSE(summary) << text;
  EXPECT_EQ(sink.ends, 0);
  return summary.error();
}

// One event after the other, with steps, sites and contexts that do not matter.
class Script {
 public:
  Script& add(std::uint16_t thread, EventKind kind, std::uint64_t object = 0,
              std::uint64_t value = 0, std::uint8_t flags = 0, std::uint16_t size = 8) {
    Event event{};
    event.kind = kind;
    event.flags = flags;
    event.size = size;
    event.thread = ThreadId{thread};
    event.object = object;
    event.value = value;
    trace_.events.push_back(event);
    return *this;
  }
  std::string text() const { return exported(trace_); }

 private:
  SampleTrace trace_;
};

constexpr std::uint8_t kAcquireOrder = static_cast<std::uint8_t>(MemoryOrder::kAcquire);
constexpr std::uint8_t kReleaseOrder = static_cast<std::uint8_t>(MemoryOrder::kRelease);

TEST(StdImport, EveryOperation) {
  KeepingSink sink;
  const auto summary = parse_std(
      "T0|fork(T1)|1\nT0|acq(L1)|2\r\n\nT0|w(V1)|345\nT0|rel(L1)|3\nT1|begin(B)|4\nT1|r(V1)|345\n"
      "T1|end(B)|5\nT0|join(T1)|6",
      "dir/x.std", sink);
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_EQ(sink.header.origin, "std");
  EXPECT_EQ(sink.header.program, "dir/x.std");
  EXPECT_TRUE(sink.last.complete);
  EXPECT_EQ(summary->events, 12U);
  EXPECT_EQ(summary->bytes, 107U);
  std::string kinds;
  for (const Event& event : sink.kept) {
    kinds += std::to_string(raw(event.thread)) + event_text(event.kind) + " ";
  }
  EXPECT_EQ(kinds,
            "0begin 0fork 0acquire 0write 0release 1begin 1atomic block enter 1read 1atomic block "
            "exit 1end 0join 0end ");
  EXPECT_EQ(sink.kept[1].value, 1U);
  EXPECT_EQ(sink.kept[2].value, 1U);
  EXPECT_EQ(sink.kept[4].value, 0U);
  EXPECT_EQ(sink.kept[3].object, sink.kept[7].object);
  EXPECT_EQ(sink.kept[3].flags, kNoValue);
  EXPECT_EQ(sink.kept[3].size, 8);
  EXPECT_EQ(sink.kept[3].site, sink.kept[7].site);
  EXPECT_EQ(sink.sites[raw(sink.kept[3].site) - 1].code, 345U);
  EXPECT_EQ(sink.sites[raw(sink.kept[3].site) - 1].frames[0].line, 345U);
}

TEST(StdImport, DefinesBeforeUse) {
  KeepingSink sink;
  ASSERT_TRUE(parse_std("main|acq(m)|1\nmain|w(x)|1\nmain|rel(m)|2\n", "t", sink));
  const std::vector<std::string> expected{"0: thread 0 main", "0: site 1",
                                          "0: object 17592186044416+8 m",
                                          "0: object 4294967296+8 x", "0: site 2"};
  EXPECT_EQ(sink.definitions, expected);
}

TEST(StdImport, SaysWhichLineAndWhy) {
  EXPECT_EQ(refused("T0|r(V1)|1\nhello\n"),
            "x.std:2: expected `|' after the thread, found nothing");
  EXPECT_EQ(refused("|r(V1)|1"), "x.std:1: expected the name of a thread, found nothing");
  EXPECT_EQ(refused("T0|read(V1)|1"),
            "x.std:1: expected r, w, acq, rel, fork, join, begin or end, found `read'");
  EXPECT_EQ(refused("T0|r(V1|1"), "x.std:1: expected `)' behind the operand, found `(V1'");
  EXPECT_EQ(refused("T0|r()|1"), "x.std:1: expected a name in the parentheses of r, found nothing");
  EXPECT_EQ(refused("T0|r|1"), "x.std:1: expected a name in the parentheses of r, found nothing");
  EXPECT_EQ(refused("T0|r(a(b)|1"),
            "x.std:1: expected a name in the parentheses of r, found `a(b'");
  EXPECT_EQ(refused("T0|r(V1)"), "x.std:1: expected `|' after the operation, found nothing");
  EXPECT_EQ(refused("T0|r(V1)|x7"), "x.std:1: expected a whole number as location, found `x7'");
  EXPECT_EQ(refused("T0|r(V1)|-7"), "x.std:1: expected a whole number as location, found `-7'");
  EXPECT_EQ(refused("T0|r(V1)|99999999999999999999"),
            "x.std:1: expected a whole number as location, found `99999999999999999999'");
  EXPECT_EQ(refused("T0|r(" + std::string(100'000, 'x') + ")|1"),
            "x.std:1: expected a line of at most 65536 bytes");
}

TEST(StdImport, RefusesWhatNoExecutionHas) {
  EXPECT_EQ(refused("A|acq(m)|1\nB|acq(m)|2\n"),
            "x.std:2: expected a lock that no other thread holds, found `m'");
  EXPECT_EQ(refused("A|acq(m)|1\nB|rel(m)|2\n"),
            "x.std:2: expected a lock that the thread holds, found `m'");
  EXPECT_EQ(refused("A|join(B)|1\nB|r(x)|2\n"),
            "x.std:2: expected no more of a thread that was joined in line 1, found `B'");
  EXPECT_EQ(refused("B|r(x)|2\nA|fork(B)|1\n"),
            "x.std:2: expected a thread that is not there yet, found `B'");
  EXPECT_EQ(refused("A|join(A)|1\n"), "x.std:1: expected another thread, found `A'");
  EXPECT_EQ(refused("A|end(b)|1\n"),
            "x.std:1: expected the end of a transaction that has begun, found `b'");
}

TEST(StdImport, Salvage) {
  KeepingSink sink;
  const auto summary = parse_std("T0|r(V1)|1\nT0|r(V2)|1\nhello\nT0|r(V3)|1\n", "t", sink,
                                 ReadOptions{.salvage = true});
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_EQ(sink.kept.size(), 3U);
  EXPECT_EQ(sink.ends, 1);
  EXPECT_FALSE(sink.last.complete);
  EXPECT_EQ(summary->damage,
            (TraceDamage{22, "line 3: expected `|' after the thread, found nothing"}));
}

TEST(StdImport, TooManyThreads) {
  std::string text;
  for (int i = 0; i < 65'536; ++i) text += "T" + std::to_string(i) + "|r(x)|1\n";
  EXPECT_EQ(refused(text), "x.std:65536: expected at most 65,535 threads, found `T65535'");
}

TEST(StdImport, AFileIsTheSameAsAText) {
  const std::string path = ::testing::TempDir() + "/std." + std::to_string(getpid());
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += "T" + std::to_string(i % 7) + "|w(V" + std::to_string(i % 1000) + ")|5\n";
  }
  std::ofstream(path) << text;
  KeepingSink file, memory;
  const auto summary = read_std(path, file);
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_EQ(summary->bytes, text.size());
  ASSERT_TRUE(parse_std(text, path, memory));
  ASSERT_EQ(file.kept.size(), memory.kept.size());
  EXPECT_EQ(file.definitions, memory.definitions);
  for (std::size_t i = 0; i < file.kept.size(); ++i) {
    ASSERT_TRUE(same_event(file.kept[i], memory.kept[i]));
  }
  EXPECT_LT(file.batches, 30);

  std::ofstream(path) << std::string(1'000'000, 'x');
  EXPECT_EQ(read_std(path, file).error(), path + ":1: expected a line of at most 65536 bytes");
  unlink(path.c_str());
  EXPECT_EQ(read_std(path, file).error(), path + ": cannot read: No such file or directory");
}

TEST(StdExport, AccessesAreWords) {
  EXPECT_EQ(Script()
                .add(0, EventKind::read, 0x1000, 1)
                .add(0, EventKind::write, 0x1004, 1, 0, 4)
                .add(0, EventKind::write, 0x1006, 1, 0, 4)
                .add(0, EventKind::read_range, 0x2000, 17)
                .add(0, EventKind::write_range, 0x2000, 0)
                .text(),
            "T0|r(V1000)|0\nT0|w(V1000)|0\nT0|w(V1000)|0\nT0|w(V1008)|0\n"
            "T0|r(V2000)|0\nT0|r(V2008)|0\nT0|r(V2010)|0\nT0|w(V2000)|0\n");
}

TEST(StdExport, AnEndlessRangeEnds) {
  std::string text;
  const auto sink = RapidExporter::into(&text);
  Event event{};
  event.kind = EventKind::write_range;
  event.object = 64;
  event.value = ~std::uint64_t{0};
  sink->events(std::span(&event, 1));
  EXPECT_EQ(sink->lines(), kMaxRapidWords);
}

TEST(StdExport, OutermostLocksOnly) {
  EXPECT_EQ(Script()
                .add(0, EventKind::acquire, 0x10, 1)
                .add(0, EventKind::acquire, 0x10, 2)
                .add(0, EventKind::wait, 0x20, 0x10)
                .add(0, EventKind::release, 0x10, 0, kByWait)
                .add(1, EventKind::acquire, 0x10, 1)
                .add(1, EventKind::notify, 0x20, 1)
                .add(1, EventKind::release, 0x10, 0)
                .add(0, EventKind::wake, 0x20, 0)
                .add(0, EventKind::acquire, 0x10, 2, kByWait)
                .add(0, EventKind::release, 0x10, 1)
                .add(0, EventKind::release, 0x10, 0)
                .text(),
            "T0|acq(L10)|0\nT0|rel(L10)|0\nT1|acq(L10)|0\nT1|rel(L10)|0\nT0|acq(L10)|0\n"
            "T0|rel(L10)|0\n");
}

TEST(StdExport, SharedLocksAreShortSections) {
  EXPECT_EQ(Script()
                .add(0, EventKind::acquire, 0x10, 1, kShared)
                .add(1, EventKind::acquire, 0x10, 1, kShared)
                .add(0, EventKind::release, 0x10, 0, kShared)
                .text(),
            "T0|acq(L10)|0\nT0|rel(L10)|0\nT1|acq(L10)|0\nT1|rel(L10)|0\nT0|acq(L10)|0\n"
            "T0|rel(L10)|0\n");
}

TEST(StdExport, AtomicsAndSignals) {
  EXPECT_EQ(Script()
                .add(0, EventKind::atomic_store, 0x10, 0, kReleaseOrder)
                .add(1, EventKind::atomic_load, 0x10, 0, kAcquireOrder)
                .add(1, EventKind::atomic_load, 0x10, 0, 0)
                .add(1, EventKind::atomic_compare, 0x10, 0, kAcquireOrder)
                .add(1, EventKind::atomic_compare, 0x10, 0, kAcquireOrder | kSuccess)
                .add(0, EventKind::signal, 0x10)
                .add(1, EventKind::await, 0x10)
                .text(),
            "T0|acq(A10)|0\nT0|w(V10)|0\nT0|rel(A10)|0\n"
            "T1|acq(A10)|0\nT1|r(V10)|0\nT1|rel(A10)|0\n"
            "T1|acq(A10)|0\nT1|r(V10)|0\nT1|rel(A10)|0\n"
            "T1|acq(A10)|0\nT1|r(V10)|0\nT1|w(V10)|0\nT1|rel(A10)|0\n"
            "T0|acq(S10)|0\nT0|rel(S10)|0\nT1|acq(S10)|0\nT1|rel(S10)|0\n");
}

TEST(StdExport, AllocatedMemoryIsNew) {
  EXPECT_EQ(Script()
                .add(0, EventKind::allocate, 0x1000, 16)
                .add(0, EventKind::write, 0x1008)
                .add(0, EventKind::free, 0x1000, 16)
                .add(1, EventKind::allocate, 0x1008, 8)
                .add(1, EventKind::write, 0x1008)
                .add(1, EventKind::write, 0x1000)
                .text(),
            "T0|w(V1008)|0\nT1|w(V1008#2)|0\nT1|w(V1000)|0\n");
}

TEST(StdExport, WhatBreaksMutualExclusionIsLeftOut) {
  const std::string text = Script()
                               .add(0, EventKind::release, 0x10, 0)
                               .add(0, EventKind::acquire, 0x10, 1)
                               .add(1, EventKind::release, 0x10, 0)
                               .add(1, EventKind::acquire, 0x10, 1)
                               .add(0, EventKind::thread_end)
                               .add(1, EventKind::acquire, 0x10, 1)
                               .add(1, EventKind::fork, 0, 0)
                               .add(1, EventKind::join, 0, 0)
                               .add(0, EventKind::read, 0x20)
                               .text();
  EXPECT_EQ(text, "T0|acq(L10)|0\nT0|rel(L10)|0\nT1|acq(L10)|0\nT1|join(T0)|0\n");
  EXPECT_EQ(again(text), text);
}

TEST(StdExport, ALockOutlivesItsOwner) {
  const std::string detached = Script()
                                   .add(0, EventKind::acquire, 0x10, 1)
                                   .add(0, EventKind::thread_end)
                                   .add(1, EventKind::acquire, 0x10, 1)
                                   .text();
  EXPECT_EQ(detached, "T0|acq(L10)|0\nT0|rel(L10)|0\nT1|acq(L10)|0\n");
  const std::string joined = Script()
                                 .add(0, EventKind::acquire, 0x10, 1)
                                 .add(0, EventKind::thread_end)
                                 .add(1, EventKind::join, 0, 0)
                                 .add(1, EventKind::acquire, 0x10, 1)
                                 .text();
  EXPECT_EQ(joined, "T0|acq(L10)|0\nT1|join(T0)|0\nT1|acq(L10)|0\n");
  EXPECT_EQ(again(detached), detached);
  EXPECT_EQ(again(joined), joined);
}

TEST(StdExport, NamesAndSites) {
  std::string text;
  const auto sink = RapidExporter::into(&text);
  sink->begin(TraceHeader{.origin = "raddle"});
  Site function = sample_site(1);
  function.kind = EventKind::enter;
  function.flags = kSiteAtomic;
  function.field = "transfer(int)";
  sink->define_site(SiteId{1}, function);
  sink->define_thread(ThreadId{0}, "main");
  sink->define_thread(ThreadId{1}, "work|er");
  sink->define_thread(ThreadId{2}, "main");
  sink->define_object(0x1000, 32, "total");
  sink->define_object(0x2000, 8, "total");
  sink->define_object(0x3000, 8, "total#2");
  const auto event = [&](std::uint16_t thread, EventKind kind, std::uint64_t object) {
    Event e{};
    e.kind = kind;
    e.size = 8;
    e.thread = ThreadId{thread};
    e.site = SiteId{1};
    e.object = object;
    sink->events(std::span(&e, 1));
  };
  event(0, EventKind::enter, 0);
  event(0, EventKind::read, 0x1000);
  event(0, EventKind::exit, 0);
  event(1, EventKind::read, 0x1010);
  event(2, EventKind::read, 0x2000);
  event(2, EventKind::read, 0x3000);
  sink->end({});
  EXPECT_EQ(text,
            "main|begin(transfer%28int%29)|1\nmain|r(total)|1\nmain|end(transfer%28int%29)|1\n"
            "work%7cer|r(total+16)|1\nmain#2|r(total#2)|1\nmain#2|r(total%232)|1\n");
  EXPECT_EQ(again(text), text.substr(0, text.rfind("total%232")) + "total#2)|1\n");
}

TEST(StdExport, FailsOnAFullDisk) {
  auto sink = RapidExporter::create("/dev/full");
  ASSERT_TRUE(sink) << sink.error();
  feed(sample_map(50'000), **sink);
  ASSERT_TRUE((*sink)->error());
  EXPECT_NE((*sink)->error()->message.find("/dev/full: writing line "), std::string::npos);
  EXPECT_FALSE(RapidExporter::create("/nonexistent/x"));
}

// A text that one execution could have written, with odd names.
std::string random_text(std::uint64_t seed) {
  SampleRandom random(seed);
  static constexpr const char* kThreads[] = {"T0", "T1", "main", "w%7c1"};
  static constexpr const char* kNames[] = {"V1", "V2", "a.b[3]", "x::y<int>", "x#2", "%25", "L"};
  const auto location = [&] { return "|" + std::to_string(random.below(5)) + "\n"; };
  std::string text;
  int owner = -1;
  int blocks[4] = {};
  for (std::size_t lines = random.below(60); lines > 0; --lines) {
    const auto thread = static_cast<int>(random.below(4));
    const std::string who = std::string(kThreads[thread]) + "|";
    const std::string name = "(" + std::string(kNames[random.below(std::size(kNames))]) + ")";
    switch (random.below(6)) {
      case 0:
      case 1:
        text += who + (random.chance(2) ? "r" : "w") + name + location();
        break;
      case 2:
        if (owner == -1) text += who + "acq(L)" + location(), owner = thread;
        break;
      case 3:
        if (owner == thread) text += who + "rel(L)" + location(), owner = -1;
        break;
      case 4:
        text += who + "begin(b1)" + location(), ++blocks[thread];
        break;
      case 5:
        if (blocks[thread] > 0) text += who + "end(b1)" + location(), --blocks[thread];
        break;
    }
  }
  return text;
}

TEST(StdRoundTrip, TextsComeBackAsTheyWere) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const std::string text = random_text(seed);
    ASSERT_EQ(again(text), text) << seed;
  }
}

// Whatever is exported can be imported, and is then the same text.
TEST(StdRoundTrip, AnyTraceCanBeImported) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SampleRandom random(seed);
    SampleTrace trace = seed % 2 == 0 ? sample_chaos(random.below(300), seed, 5)
                                      : sample_map(random.below(2000), seed);
    for (Event& event : trace.events) {
      // Few enough threads and objects that they meet.
      event.thread = ThreadId{static_cast<std::uint16_t>(raw(event.thread) % 5)};
      if (seed % 2 == 0) event.object %= 64, event.value %= 128, event.size %= 32;
    }
    const std::string text = exported(trace);
    ASSERT_TRUE(again(text) == text) << seed;
  }
}

}  // namespace
}  // namespace raddle
