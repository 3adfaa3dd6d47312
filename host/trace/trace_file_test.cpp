// Writer and reader together: what goes in comes out, whatever it is, and whatever happens to the
// writer.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "host/trace/testing/stream_teller.hpp"
#include "host/trace/testing/trace_keeping_sink.hpp"
#include "host/trace/testing/trace_samples.hpp"
#include "host/trace/trace_reader.hpp"
#include "host/trace/trace_writer.hpp"

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
  void write(const SampleTrace& trace, std::size_t batch = 4096, std::size_t chunk = 16'000) {
    auto writer = create();
    RecordingSink sink(*writer, chunk, 2);
    feed(trace, sink, batch);
    EXPECT_FALSE(writer->error());
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
    // A site is told when it is first used.
    std::vector<Site> sites = sites_of(trace);
    std::uint32_t used = 0;
    for (const Event& event : trace.events) used = std::max(used, raw(event.site));
    sites.resize(used);
    EXPECT_TRUE(sink.sites == sites);
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

TEST_F(TraceFile, ChunksOfAnySize) {
  const SampleTrace trace = sample_map(20'000);
  for (const std::size_t chunk : {100, 1'000, 10'000, 262'144}) {
    write(trace, 333, chunk);
    expect_same(trace);
  }
}

// Every field anything that it can be: thousands of short streams, some long ones.
TEST_F(TraceFile, AnyValidEvents) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SampleRandom random(seed);
    const std::size_t events = seed % 100 == 0 ? 40'000 : random.below(200);
    const SampleTrace trace =
        sample_chaos(events, seed, static_cast<std::uint32_t>(random.below(9)));
    write(trace, 1 + random.below(100), 200 + random.below(5'000));
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
    SampleChaos chaos(seed, trace.sites);
    for (Event& event : trace.events) {
      if (!random.chance(10) || !is_access(event.kind)) continue;
      const Event other = chaos();
      switch (random.below(6)) {
        case 0:
          event.object = other.object;
          break;
        case 1:
          event.value = other.value % 0x100;
          break;
        case 2:
          event.value2 = other.value2;
          break;
        case 3:
          event.site = other.site;
          break;
        case 4:
          event.size = static_cast<std::uint16_t>(1 + random.below(20));
          event.value %= 0x100;
          break;
        case 5:
          event.kind = event.kind == EventKind::read ? EventKind::write : EventKind::read;
          break;
      }
    }
    write(trace);
    expect_same(trace);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST_F(TraceFile, MoreSitesThanSixteenBits) {
  SampleTrace trace = sample_noise(1000, 3);
  trace.sites = 70'000;
  trace.events[1].site = SiteId{70'000};
  trace.events[2].site = SiteId{65'535};
  trace.events[3].site = SiteId{65'536};
  write(trace);
  expect_same(trace);
}

TEST_F(TraceFile, DefinitionsKeepTheirPlace) {
  const SampleTrace trace = sample_chaos(100'000, 1, 1);
  {
    auto writer = create();
    RecordingSink sink(*writer);
    sink.begin(trace.header);
    sink.define_thread(ThreadId{0}, "main");
    sink.define_site(SiteId{1}, sample_site(1));
    sink.events(std::span(trace.events).first(7));
    sink.define_object(0x1000, 16, "m");
    sink.define_member("Account", 8, "m_");
    sink.define_object(~std::uint64_t{0}, 5, std::string("z\0\n", 3));
    sink.events(std::span(trace.events).subspan(7));
    sink.define_thread(ThreadId{3}, std::string(2'000, 'x'));
    sink.define_object(0x2000, 8, std::string(2'000'000, 'y'));
    sink.end(trace.end);
    EXPECT_FALSE(writer->error());
  }
  KeepingSink sink;
  ASSERT_TRUE(read_trace(path_, sink));
  expect_events(sink, trace, trace.events.size());
  std::size_t first_use = 0;
  while (raw(trace.events[first_use].site) != 1) ++first_use;
  ASSERT_LT(first_use, 7U);
  const std::vector<std::string> expected{
      "0: thread 0 main",
      std::to_string(first_use) + ": site 1",
      "7: object 4096+16 m",
      "7: member Account+8 m_",
      "7: object 18446744073709551615+0 " + std::string("z\0\n", 3),
      "100000: thread 3 " + std::string(255, 'x'),
      "100000: object 8192+8 " + std::string(1 << 19, 'y')};
  EXPECT_EQ(sink.definitions, expected);
}

// An enter from a module that is known and has no hooks is a callback.
TEST_F(TraceFile, Callbacks) {
  {
    auto writer = create();
    writer->begin(SampleTrace{}.header);
    writer->define_code({0x1000, 0x2000, true});
    writer->define_code({0x2000, 0x3000, false});
    RecordingSink sink(*writer);
    sink.define_site(SiteId{1}, sample_site(1));
    for (const std::uint64_t call : {0ULL, 0x1000ULL, 0x2000ULL, 0x2fffULL, 0x3000ULL}) {
      Event event{};
      event.kind = EventKind::enter;
      event.site = SiteId{1};
      event.value = call;
      sink.events(std::span(&event, 1));
    }
    sink.end({});
  }
  KeepingSink sink;
  ASSERT_TRUE(read_trace(path_, sink));
  std::vector<int> flags;
  for (const Event& event : sink.kept) flags.push_back(event.flags);
  EXPECT_EQ(flags, (std::vector<int>{0, 0, kCallback, kCallback, 0}));
}

TEST_F(TraceFile, AnEndlessNameIsCut) {
  SampleTrace trace;
  Site site = sample_site(1);
  site.cls.assign(3'000'000, 'c');
  for (int i = 0; i < 1000; ++i) site.frames.push_back({"f", std::string(1000, 'd'), 1, 1});
  {
    auto writer = create();
    writer->begin(trace.header);
    RecordingSink sink(*writer);
    for (std::uint32_t id = 1; id <= 20; ++id) sink.define_site(SiteId{id}, site);
    Event event{};
    event.kind = EventKind::acquire;
    event.site = SiteId{20};
    sink.events(std::span(&event, 1));
    sink.end(trace.end);
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
  EXPECT_LE(sink.batches, 200'000 / 512 + 12);  // one more for each definition
}

TEST_F(TraceFile, SmallOnDisk) {
  const auto bytes_per_event = [&](const SampleTrace& trace) {
    auto writer = create();
    RecordingSink sink(*writer);
    feed(trace, sink);
    return double(writer->byte_count()) / double(trace.events.size());
  };
  EXPECT_LT(bytes_per_event(sample_sort(1'000'000, 1, 1 << 16)), 5);
  EXPECT_LT(bytes_per_event(sample_map(1'000'000)), 6);
}

// While it is written.

TEST_F(TraceFile, ReadableWhileItIsWritten) {
  const SampleTrace trace = sample_map(50'000);
  auto writer = create();
  RecordingSink recording(*writer, 1 << 20);
  feed_start(trace, recording);
  recording.events(std::span(trace.events).first(20'000));
  recording.pass_on();
  recording.events(std::span(trace.events).subspan(20'000));
  KeepingSink before;
  const auto first = read_trace(path_, before);
  ASSERT_TRUE(first) << first.error();
  EXPECT_TRUE(first->live);
  expect_events(before, trace, 20'000);
  EXPECT_EQ(before.ends, 1);
  EXPECT_FALSE(before.last.complete);

  recording.pass_on();
  KeepingSink after;
  ASSERT_TRUE(read_trace(path_, after));
  expect_events(after, trace, 50'000);
}

TEST_F(TraceFile, HalfABlockIsNoDamageWhileItIsWritten) {
  const SampleTrace trace = sample_map(5'000);
  auto writer = create();
  RecordingSink recording(*writer);
  feed_start(trace, recording);
  recording.events(trace.events);
  recording.pass_on();
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
    RecordingSink recording(*writer);
    feed_start(trace, recording);
    recording.events(std::span(trace.events).first(30'000));
    recording.pass_on();
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
  expect_events(sink, trace, 30'000);
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
    RecordingSink recording(*writer);
    feed(trace, recording);
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
  EXPECT_GE(sink.kept.size(), 40'000U);  // 18 bytes each
  EXPECT_FALSE(sink.last.complete);
  expect_events(sink, trace, sink.kept.size());
}

TEST_F(TraceFile, NoSpaceLeft) {
  auto writer = TraceWriter::create("/dev/full");
  ASSERT_TRUE(writer) << writer.error();
  RecordingSink recording(**writer);
  feed(sample_map(100'000), recording);
  ASSERT_TRUE((*writer)->error());
  EXPECT_EQ((*writer)->error()->message,
            "/dev/full: writing at byte 0: No space left on device; recording stopped there, and "
            "what was recorded until then can be read");
}

}  // namespace
}  // namespace raddle
