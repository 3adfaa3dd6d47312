#include "host/trace/thinned_trace.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/trace/stream_rewriter.hpp"
#include "host/trace/testing/stream_teller.hpp"
#include "host/trace/testing/trace_keeping_sink.hpp"
#include "host/trace/testing/trace_samples.hpp"

namespace raddle {
namespace {

// Keeps some accesses, and remembers which.
class EveryFew final : public AccessFilter {
 public:
  explicit EveryFew(std::uint64_t few) : few_(few) {}

 protected:
  bool keeps(const Event& event) override { return (event.object / 4 + count_++) % few_ == 0; }

 private:
  std::uint64_t few_;
  std::uint64_t count_ = 0;
};

class ThinnedTraceTest : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "/thinned." + std::to_string(getpid());
  ~ThinnedTraceTest() override { unlink(path_.c_str()); }

  // What of a trace is in the file afterwards.
  ThinnedTrace thin(const SampleTrace& trace, AccessFilter& filter, std::size_t chunk = 4000) {
    auto spool = TraceWriter::create_unnamed(path_);
    EXPECT_TRUE(spool) << spool.error();
    RecordingSink recording(**spool, chunk, 2);
    feed_start(trace, recording);
    std::span<const Event> rest(trace.events);
    (*spool)->define_object({trace.sites / 2, 0}, 0x3000, 8, "later");
    recording.events(rest.first(rest.size() / 2));
    recording.define_thread(ThreadId{1}, "worker");
    recording.define_object(0x1000, 16, "m");
    (*spool)->define_code({0x1000, 0x2000, true});
    recording.events(rest.subspan(rest.size() / 2));
    recording.end(trace.end);
    whole_ = {};
    EXPECT_TRUE(read_trace((*spool)->read_path(), whole_));

    auto writer = TraceWriter::create(path_);
    EXPECT_TRUE(writer) << writer.error();
    (*writer)->begin(trace.header);
    const Result<ThinnedTrace> thinned = thin_trace((*spool)->read_path(), filter, **writer);
    EXPECT_TRUE(thinned) << thinned.error();
    (*writer)->end(trace.end);
    EXPECT_FALSE((*writer)->error());
    writer->reset();
    const Result<ReadSummary> read = read_trace(path_, part_);
    EXPECT_TRUE(read) << read.error();
    return *thinned;
  }

  KeepingSink whole_;
  KeepingSink part_;
};

TEST_F(ThinnedTraceTest, AllOfIt) {
  for (const SampleTrace& trace :
       {sample_map(9000), sample_sort(9000, 1, 64), sample_chaos(3000, 5, 40)}) {
    EveryFew all(1);
    part_ = {};
    const ThinnedTrace thinned = thin(trace, all);
    ASSERT_EQ(part_.kept.size(), trace.events.size());
    for (std::size_t i = 0; i < trace.events.size(); ++i)
      ASSERT_TRUE(same_event(part_.kept[i], whole_.kept[i])) << i;
    EXPECT_EQ(part_.definitions, whole_.definitions);
    EXPECT_EQ(thinned.events, trace.events.size());
    EXPECT_EQ(thinned.accesses, thinned.accesses_kept);
  }
}

// Other events stay as they are, names hold from the same event on, and every site's first event
// stays.
TEST_F(ThinnedTraceTest, SomeOfIt) {
  for (const SampleTrace& trace :
       {sample_map(9000), sample_sort(9000, 1, 64), sample_chaos(3000, 7, 40)}) {
    EveryFew filter(5);
    EveryFew same(5);
    part_ = {};
    const ThinnedTrace thinned = thin(trace, filter);
    std::vector<Event> expected;
    std::uint32_t met = 0;
    std::uint64_t accesses = 0;
    for (const Event& event : whole_.kept) {
      same.events({&event, 1});
      const bool stays = same.take()->keeps || !is_access(event.kind) || raw(event.site) > met;
      accesses += is_access(event.kind) ? 1 : 0;
      met = std::max(met, stays ? raw(event.site) : 0);
      if (stays) expected.push_back(event);
    }
    ASSERT_LT(expected.size(), trace.events.size());
    ASSERT_EQ(part_.kept.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_TRUE(same_event(part_.kept[i], expected[i])) << i;
    EXPECT_EQ(part_.definitions.size(), whole_.definitions.size());
    EXPECT_EQ(thinned.events, expected.size());
    EXPECT_EQ(thinned.accesses, accesses);
  }
}

TEST(UnnamedTrace, IsInNoFolder) {
  const std::string folder = ::testing::TempDir() + "/unnamed." + std::to_string(getpid());
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  {
    auto spool = TraceWriter::create_unnamed(folder + "/trace");
    ASSERT_TRUE(spool) << spool.error();
    (*spool)->begin({});
    EXPECT_EQ(access((*spool)->read_path().c_str(), R_OK), 0);
    EXPECT_EQ(rmdir(folder.c_str()), 0);  // it is empty
  }
  const auto none = TraceWriter::create_unnamed(folder + "/trace");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find(folder + ": cannot make a temporary file there: No such file"),
            std::string::npos)
      << none.error();
}

}  // namespace
}  // namespace raddle
