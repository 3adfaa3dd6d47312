// Writer and reader together: what goes in comes out, whatever it is, and whatever happens to the
// writer.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "trace/trace_keeping_sink.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_samples.hpp"
#include "trace/trace_writer.hpp"

namespace raddle {
namespace {

class TraceFile : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "/trace." + std::to_string(getpid());
  ~TraceFile() override { unlink(path_.c_str()); }

  std::unique_ptr<TraceWriter> create() {
    auto writer = TraceWriter::create(path_);
    EXPECT_TRUE(writer) << writer.error();
    return std::move(*writer);
  }
  void write(const SampleTrace& trace, std::size_t batch = 4096) {
    auto writer = create();
    feed(trace, *writer, batch);
    EXPECT_FALSE(writer->error());
    EXPECT_EQ(writer->event_count(), trace.events.size());
  }
  std::string bytes() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  // Reads the file, which must be good, and compares.
  void expect_same(const SampleTrace& trace) {
    KeepingSink sink;
    const auto summary = read_trace(path_, sink);
    ASSERT_TRUE(summary) << summary.error();
    EXPECT_EQ(summary->events, trace.events.size());
    EXPECT_EQ(summary->bytes, bytes().size());
    EXPECT_FALSE(summary->live);
    EXPECT_FALSE(summary->damage);
    EXPECT_EQ(sink.begins, 1);
    EXPECT_EQ(sink.ends, 1);
    EXPECT_EQ(sink.header, trace.header);
    TraceEnd end = trace.end;
    end.events = trace.events.size();
    EXPECT_EQ(sink.last, end);
    ASSERT_EQ(sink.sites.size(), trace.sites);
    for (std::uint32_t id = 1; id <= trace.sites; ++id) {
      ASSERT_EQ(sink.sites[id - 1], sample_site(id)) << id;
    }
    expect_events(sink, trace, trace.events.size());
  }
  void expect_events(const KeepingSink& sink, const SampleTrace& trace, std::size_t count) {
    ASSERT_EQ(sink.kept.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(same_event(sink.kept[i], trace.events[i])) << "event " << i;
    }
  }
};

TEST_F(TraceFile, Empty) {
  SampleTrace trace;
  write(trace);
  expect_same(trace);
}

TEST_F(TraceFile, ASort) {
  const SampleTrace trace = sample_sort(300'000, 1, 1 << 12);
  write(trace);
  expect_same(trace);
}

TEST_F(TraceFile, AHashMap) {
  const SampleTrace trace = sample_map(300'000);
  write(trace, 1000);
  expect_same(trace);
}

TEST_F(TraceFile, Noise) {
  const SampleTrace trace = sample_noise(100'000);
  write(trace);
  expect_same(trace);
}

TEST_F(TraceFile, ForgetsNowAndThen) {
  const SampleTrace trace = sample_map(4'100'000);
  write(trace);
  expect_same(trace);
}

// Every field anything that it can be: thousands of short streams, some long ones.
TEST_F(TraceFile, AnyValidEvents) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SampleRandom random(seed);
    const std::size_t events = seed % 100 == 0 ? 40'000 : random.below(200);
    const SampleTrace trace =
        sample_chaos(events, seed, static_cast<std::uint32_t>(random.below(9)));
    write(trace, 1 + random.below(100));
    expect_same(trace);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

// Plausible streams with some fields of some events changed: predictions that nearly hold.
TEST_F(TraceFile, NearlyPredictable) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SampleRandom random(seed);
    SampleTrace trace = seed % 2 == 0 ? sample_map(1 + random.below(3000), seed)
                                      : sample_sort(1 + random.below(3000), seed, 64);
    for (Event& event : trace.events) {
      if (!random.chance(10)) continue;
      const Event other = random_event(random, trace.sites);
      switch (random.below(9)) {
        case 0:
          event.object = other.object;
          break;
        case 1:
          event.value = other.value % 0xffff;
          break;
        case 2:
          event.value2 = other.value2;
          break;
        case 3:
          event.context = other.context;
          break;
        case 4:
          event.step = other.step;
          break;
        case 5:
          event.site = other.site;
          break;
        case 6:
          event.thread = other.thread;
          break;
        case 7:
          event.size = other.size;
          break;
        case 8:
          event = other;
          break;
      }
    }
    write(trace);
    expect_same(trace);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST_F(TraceFile, MoreSitesThanSixteenBits) {
  SampleTrace trace = sample_chaos(1000, 3, 70'000);
  trace.events[1].site = SiteId{70'000};
  trace.events[2].site = SiteId{65'535};
  trace.events[3].site = SiteId{65'534};
  write(trace);
  expect_same(trace);
}

TEST_F(TraceFile, DefinitionsKeepTheirPlace) {
  const SampleTrace trace = sample_chaos(100'000, 1, 1);
  {
    auto writer = create();
    writer->begin(trace.header);
    writer->define_thread(ThreadId{0}, "main");
    writer->define_site(SiteId{1}, sample_site(1));
    writer->events(std::span(trace.events).first(7));
    writer->define_object(0x1000, 16, "m");
    writer->define_member("Account", 8, "m_");
    writer->define_object(~std::uint64_t{0}, 5, std::string("z\0\n", 3));
    writer->events(std::span(trace.events).subspan(7));
    writer->define_thread(ThreadId{3}, std::string(2'000'000, 'x'));
    writer->end(trace.end);
    EXPECT_FALSE(writer->error());
  }
  KeepingSink sink;
  ASSERT_TRUE(read_trace(path_, sink));
  expect_events(sink, trace, trace.events.size());
  const std::vector<std::string> expected{
      "0: thread 0 main",
      "0: site 1",
      "7: object 4096+16 m",
      "7: member Account+8 m_",
      "7: object 18446744073709551615+0 " + std::string("z\0\n", 3),
      "100000: thread 3 " + std::string(1 << 19, 'x')};
  EXPECT_EQ(sink.definitions, expected);
}

TEST_F(TraceFile, AnEndlessNameIsCut) {
  SampleTrace trace;
  Site site = sample_site(1);
  site.cls.assign(3'000'000, 'c');
  for (int i = 0; i < 1000; ++i) site.frames.push_back({"f", std::string(1000, 'd'), 1, 1});
  {
    auto writer = create();
    writer->begin(trace.header);
    for (std::uint32_t id = 1; id <= 20; ++id) writer->define_site(SiteId{id}, site);
    writer->end(trace.end);
    EXPECT_FALSE(writer->error());
  }
  KeepingSink sink;
  ASSERT_TRUE(read_trace(path_, sink));
  ASSERT_EQ(sink.sites.size(), 20U);
  EXPECT_EQ(sink.sites[19].cls, std::string(4096, 'c'));
  EXPECT_EQ(sink.sites[19].frames.size(), 64U);
  EXPECT_EQ(sink.sites[19].stable, site.stable);
}

TEST_F(TraceFile, BatchesAreLarge) {
  const SampleTrace trace = sample_sort(200'000, 1, 1 << 12);
  write(trace, 1);
  KeepingSink sink;
  ASSERT_TRUE(read_trace(path_, sink));
  EXPECT_LE(sink.batches, 200'000 / 4096 + 7);
}

TEST_F(TraceFile, SmallOnDisk) {
  const auto bytes_per_event = [&](const SampleTrace& trace) {
    auto writer = create();
    feed(trace, *writer);
    return double(writer->byte_count()) / double(trace.events.size());
  };
  EXPECT_LT(bytes_per_event(sample_sort(1'000'000, 1, 1 << 16)), 2);
  EXPECT_LT(bytes_per_event(sample_map(1'000'000)), 2);
}

// While it is written.

TEST_F(TraceFile, ReadableWhileItIsWritten) {
  const SampleTrace trace = sample_map(50'000);
  auto writer = create();
  feed_start(trace, *writer);
  writer->events(trace.events);
  KeepingSink before;
  const auto first = read_trace(path_, before);
  ASSERT_TRUE(first) << first.error();
  EXPECT_TRUE(first->live);
  EXPECT_EQ(before.kept.size(), 32'768U);  // the block that is complete
  EXPECT_EQ(before.ends, 1);
  EXPECT_FALSE(before.last.complete);

  writer->tick();  // too early
  KeepingSink early;
  ASSERT_TRUE(read_trace(path_, early));
  EXPECT_EQ(early.kept.size(), 32'768U);
  std::this_thread::sleep_for(std::chrono::milliseconds(210));
  writer->tick();
  KeepingSink after;
  ASSERT_TRUE(read_trace(path_, after));
  expect_events(after, trace, 50'000);
}

TEST_F(TraceFile, HalfABlockIsNoDamageWhileItIsWritten) {
  const SampleTrace trace = sample_map(50'000);
  auto writer = create();
  feed_start(trace, *writer);
  writer->events(trace.events);
  ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(writer->byte_count()) - 10), 0);
  KeepingSink sink;
  const auto summary = read_trace(path_, sink);
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_TRUE(summary->live);
  EXPECT_FALSE(summary->damage);
  EXPECT_EQ(sink.kept.size(), 0U);
}

TEST_F(TraceFile, TheWriterDied) {
  const SampleTrace trace = sample_map(50'000);
  const pid_t child = fork();
  if (child == 0) {
    auto writer = create();
    feed_start(trace, *writer);
    writer->events(trace.events);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  KeepingSink sink;
  const auto summary = read_trace(path_, sink);
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_FALSE(summary->live);
  EXPECT_FALSE(summary->damage);
  EXPECT_FALSE(summary->end.complete);
  expect_events(sink, trace, 32'768);
}

TEST_F(TraceFile, OneWriterAtATime) {
  auto writer = create();
  const auto second = TraceWriter::create(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), path_ + ": another process is recording into it: choose another file");
}

TEST_F(TraceFile, ReplacesALongerFile) {
  write(sample_noise(50'000));
  const SampleTrace trace = sample_map(10);
  write(trace);
  expect_same(trace);
}

// What cannot be written.

TEST_F(TraceFile, CannotBeCreated) {
  const auto writer = TraceWriter::create("/nonexistent/folder/trace");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error(),
            "/nonexistent/folder/trace: cannot record into it: No such file or directory");
}

TEST_F(TraceFile, FullDisk) {
  const SampleTrace trace = sample_noise(300'000);
  const pid_t child = fork();
  if (child == 0) {  // a limit on the size of files stands for the disk
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1'000'000, 1'000'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto writer = create();
    feed(trace, *writer);
    const bool said = writer->error() &&
                      writer->error()->message.find("File too large") != std::string::npos &&
                      writer->error()->message.find('\n') == std::string::npos;
    _exit(said && writer->byte_count() <= 1'000'000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  KeepingSink sink;
  const auto summary = read_trace(path_, sink);
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_GE(sink.kept.size(), 32'768U);
  EXPECT_FALSE(sink.last.complete);
  expect_events(sink, trace, sink.kept.size());
}

TEST_F(TraceFile, NoSpaceLeft) {
  auto writer = TraceWriter::create("/dev/full");
  ASSERT_TRUE(writer) << writer.error();
  feed(sample_map(100'000), **writer);
  ASSERT_TRUE((*writer)->error());
  EXPECT_EQ((*writer)->error()->message,
            "/dev/full: writing at byte 0: No space left on device; recording stopped there, and "
            "what was recorded until then can be read");
}

TEST_F(TraceFile, AnInvalidEventEndsTheRecording) {
  const SampleTrace good = sample_chaos(10, 1, 2);
  for (int what = 0; what < 6; ++what) {
    Event bad{};
    bad.kind = EventKind::read;
    if (what == 0) bad.kind = EventKind::none;
    if (what == 1) bad.kind = static_cast<EventKind>(kEventKinds);
    if (what == 2) bad.thread = kNoThread;
    if (what == 3) bad.site = SiteId{3};
    if (what == 4) bad.kind = EventKind::fork, bad.value = 0xffff;
    if (what == 5) bad.kind = EventKind::fence, bad.flags = 6;
    {
      auto writer = create();
      feed_start(good, *writer);
      writer->events(good.events);
      writer->events(std::span(&bad, 1));
      writer->events(good.events);
      ASSERT_TRUE(writer->error()) << what;
      EXPECT_NE(writer->error()->message.find("event 10 "), std::string::npos);
    }
    KeepingSink sink;
    ASSERT_TRUE(read_trace(path_, sink));
  }
}

}  // namespace
}  // namespace raddle
