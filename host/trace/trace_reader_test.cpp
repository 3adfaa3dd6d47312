// What the reader says of files that are not as they should be.
#include "host/trace/trace_reader.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "host/base/bytes.hpp"
#include "host/base/crc32.hpp"
#include "host/trace/testing/stream_teller.hpp"
#include "host/trace/testing/trace_keeping_sink.hpp"
#include "host/trace/testing/trace_samples.hpp"
#include "host/trace/trace_block.hpp"
#include "host/trace/trace_definitions.hpp"
#include "host/trace/trace_metadata.hpp"
#include "host/trace/trace_writer.hpp"

namespace raddle {
namespace {

class DamagedTrace : public ::testing::Test {
 protected:
  std::string path_ = ::testing::TempDir() + "/damaged." + std::to_string(getpid());
  ~DamagedTrace() override { unlink(path_.c_str()); }

  void put(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  // 100,000 events: header, definitions, four blocks of records, end.
  std::string good() {
    auto writer = TraceWriter::create(path_);
    EXPECT_TRUE(writer) << writer.error();
    RecordingSink recording(**writer, 1 << 20);
    feed_start(trace_, recording);
    for (std::size_t i = 0; i < 4; ++i) {
      recording.events(std::span(trace_.events).subspan(i * kPart, kPart));
      recording.pass_on();
    }
    recording.end(trace_.end);
    writer->reset();
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::size_t> blocks(const std::string& bytes) {
    std::vector<std::size_t> starts;
    for (std::size_t at = kTraceStart; at < bytes.size();) {
      starts.push_back(at);
      BlockHeader header;
      EXPECT_EQ(parse_block_header(std::string_view(bytes).substr(at, kBlockHeaderBytes), &header),
                nullptr);
      at += kBlockHeaderBytes + header.stored;
    }
    return starts;
  }
  // Without salvage `what` is the error; with it, the events before it are there.
  void expect(const std::string& bytes, std::uint64_t offset, const std::string& what,
              std::size_t events) {
    put(bytes);
    KeepingSink strict;
    const auto refused = read_trace(path_, strict);
    ASSERT_FALSE(refused) << what;
    EXPECT_EQ(refused.error(), path_ + ": byte " + std::to_string(offset) + ": " + what +
                                   ": `--salvage' reads what comes before it");
    EXPECT_EQ(strict.ends, 0);
    KeepingSink sink;
    const auto summary = read_trace(path_, sink, ReadOptions{.salvage = true});
    ASSERT_TRUE(summary) << summary.error();
    EXPECT_EQ(summary->damage, (TraceDamage{offset, what}));
    EXPECT_EQ(sink.ends, 1);
    EXPECT_FALSE(sink.last.complete);
    EXPECT_EQ(summary->events, events);
    ASSERT_EQ(sink.kept.size(), events);
    for (std::size_t i = 0; i < events; ++i) {
      ASSERT_TRUE(same_event(sink.kept[i], trace_.events[i])) << i;
    }
  }
  // There is nothing to be read before it.
  void expect_hopeless(const std::string& bytes, const std::string& error) {
    put(bytes);
    for (const bool salvage : {false, true}) {
      KeepingSink sink;
      const auto summary = read_trace(path_, sink, ReadOptions{.salvage = salvage});
      ASSERT_FALSE(summary);
      EXPECT_EQ(summary.error(), path_ + ": " + error);
      EXPECT_EQ(sink.begins, 0);
    }
  }
  // A file with these blocks.
  static std::string framed(const std::vector<std::pair<BlockKind, std::string>>& contents) {
    BlockCompressor compressor;
    std::string bytes = trace_start();
    for (const auto& [kind, text] : contents) {
      if (kind == BlockKind::kRecords) {
        bytes += records_block_start({0, true}, text) + text;
      } else {
        bytes += *compressor.seal(kind, text);
      }
    }
    return bytes;
  }

  static constexpr std::size_t kPart = 25'000;
  SampleTrace trace_ = sample_map(4 * kPart);
};

constexpr char kAgain[] = "record it again with `raddle record -- PROGRAM'";

TEST_F(DamagedTrace, NotATrace) {
  expect_hopeless("", std::string("byte 0: the file is empty: ") + kAgain);
  expect_hopeless("T0|r(V1)|345\n",
                  "byte 0: this is not a trace: give a file that `raddle record' wrote, or import "
                  "one from another tool");
  expect_hopeless("raddle tr",
                  std::string("byte 9: the file breaks off before the trace begins: ") + kAgain);
  expect_hopeless(trace_start(),
                  std::string("byte 17: the file breaks off before the trace begins: ") + kAgain);
  unlink(path_.c_str());
  KeepingSink sink;
  EXPECT_EQ(read_trace(path_, sink).error(), path_ + ": cannot read: No such file or directory");
  EXPECT_EQ(read_trace("/tmp", sink).error(), "/tmp: cannot read: Is a directory");
}

TEST_F(DamagedTrace, Magic) {
  put(good());
  EXPECT_TRUE(has_trace_magic(path_));
  put("T0|r(V1)|345\n");
  EXPECT_FALSE(has_trace_magic(path_));
  EXPECT_FALSE(has_trace_magic("/nonexistent"));
}

TEST_F(DamagedTrace, AnotherVersion) {
  std::string bytes = good();
  bytes[kTraceMagic.size()] = 1;
  expect_hopeless(bytes,
                  "byte 13: the trace has version 1, this raddle reads version 3: read it with the "
                  "raddle that wrote it, or record it again");
}

// A field that older files do not have.
TEST_F(DamagedTrace, SharedOnly) {
  const std::string header = format_trace_header(trace_.header);
  const std::string end = format_trace_end(trace_.end, 0);
  const auto with = [&](const std::vector<std::string>& values) {
    std::string contents = header;
    for (const std::string& value : values) {
      put_text(&contents, "shared_only");
      put_text(&contents, value);
    }
    return framed({{BlockKind::kHeader, contents}, {BlockKind::kEnd, end}});
  };
  for (const std::vector<std::string>& values :
       std::vector<std::vector<std::string>>{{}, {"0"}, {"1"}}) {
    put(with(values));
    KeepingSink sink;
    const auto summary = read_trace(path_, sink);
    ASSERT_TRUE(summary) << summary.error();
    EXPECT_EQ(summary->header.shared_only, values == std::vector<std::string>{"1"});
  }
  trace_.header.shared_only = true;
  put(framed({{BlockKind::kHeader, format_trace_header(trace_.header)}, {BlockKind::kEnd, end}}));
  KeepingSink sink;
  EXPECT_EQ(read_trace(path_, sink)->header, trace_.header);
  const std::string damaged = "byte 17: the header is damaged (its field `shared_only' ";
  expect_hopeless(with({"2"}), damaged + "is neither 0 nor 1): " + kAgain);
  expect_hopeless(with({"yes"}), damaged + "is not a number): " + kAgain);
  expect_hopeless(with({"1", "1"}), damaged + "is there more than once): " + kAgain);
}

TEST_F(DamagedTrace, BreaksOff) {
  const std::string bytes = good();
  const std::vector<std::size_t> starts = blocks(bytes);
  ASSERT_EQ(starts.size(), 7U);
  const auto what = [&](std::size_t block) {
    return "the file breaks off in the middle of the block that begins at byte " +
           std::to_string(starts[block]);
  };
  expect(bytes.substr(0, starts[4] + 100), starts[4] + 100, what(4), 2 * kPart);
  expect(bytes.substr(0, starts[4] + 7), starts[4] + 7, what(4), 2 * kPart);
  expect(bytes.substr(0, bytes.size() - 1), bytes.size() - 1, what(6), 100'000);
  expect_hopeless(bytes.substr(0, starts[1] - 1),
                  "byte " + std::to_string(starts[1] - 1) + ": " + what(0) + ": " + kAgain);
}

TEST_F(DamagedTrace, BetweenBlocksIsNoDamage) {
  const std::string bytes = good();
  put(bytes.substr(0, blocks(bytes)[4]));
  KeepingSink sink;
  const auto summary = read_trace(path_, sink);
  ASSERT_TRUE(summary) << summary.error();
  EXPECT_FALSE(summary->damage);
  EXPECT_FALSE(summary->end.complete);
  EXPECT_EQ(sink.kept.size(), 2 * kPart);
}

TEST_F(DamagedTrace, AFlippedBitAnywhere) {
  const std::string bytes = good();
  SampleRandom random(1);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = bytes;
    const std::size_t place = random.below(bytes.size());
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random.below(8)));
    put(damaged);
    KeepingSink sink;
    ASSERT_FALSE(read_trace(path_, sink)) << place;
  }
}

TEST_F(DamagedTrace, BlocksOutOfOrder) {
  const std::string bytes = good();
  const std::vector<std::size_t> starts = blocks(bytes);
  const std::string third = bytes.substr(starts[4], starts[5] - starts[4]);
  std::string damaged = bytes;
  damaged.insert(starts[5], third);
  expect(damaged, starts[5], "a block is missing or out of order", 3 * kPart);
  damaged = bytes;
  damaged.erase(starts[4], third.size());
  expect(damaged, starts[4], "a block is missing or out of order", 2 * kPart);
  expect(bytes + bytes.substr(starts[6]), bytes.size(),
         "there is something behind the end of the trace", 100'000);
  damaged = bytes;
  damaged.insert(starts[3], bytes.substr(starts[0], starts[1] - starts[0]));
  expect(damaged, starts[3], "a second trace begins", kPart);
  expect_hopeless(trace_start() + bytes.substr(starts[1]),
                  std::string("byte 17: the trace does not begin with its header: ") + kAgain);
}

TEST_F(DamagedTrace, TheEndMustAgree) {
  const std::string header = format_trace_header(trace_.header);
  const std::string bytes = framed({{BlockKind::kHeader, header}});
  expect(framed({{BlockKind::kHeader, header}, {BlockKind::kEnd, format_trace_end(trace_.end, 5)}}),
         bytes.size(), "the end speaks of 5 bytes of records, there are 0", 0);
  expect(framed({{BlockKind::kHeader, header}, {BlockKind::kEnd, "xx"}}), bytes.size(),
         "the end is damaged (it ends in the middle of a field)", 0);
  expect_hopeless(
      framed({{BlockKind::kHeader, ""}}),
      std::string("byte 17: the header is damaged (its field `raddle' is missing): ") + kAgain);
}

TEST_F(DamagedTrace, UnknownHeaderFieldsAreIgnored) {
  std::string header = format_trace_header(trace_.header);
  put_text(&header, "colour");
  put_text(&header, "red");
  put(framed({{BlockKind::kHeader, header}}));
  KeepingSink sink;
  ASSERT_TRUE(read_trace(path_, sink));
  EXPECT_EQ(sink.header, trace_.header);
}

// Contents that are wrong, correctly framed.
TEST_F(DamagedTrace, WrongContents) {
  const std::string header = format_trace_header(trace_.header);
  const auto wrong = [&](BlockKind kind, const std::string& contents, const std::string& what) {
    const std::size_t start = framed({{BlockKind::kHeader, header}}).size();
    expect(framed({{BlockKind::kHeader, header}, {kind, contents}}), start, what, 0);
  };
  const auto records = [&](const std::string& contents, const std::string& what) {
    wrong(BlockKind::kRecords, contents, what);
  };
  records("\x80", "a record breaks off");
  records(std::string("\x80\x00\x00", 3), "a record is of no kind");
  records("\x80\x0d", "a record breaks off");
  records(std::string("\x80\x0d\x00", 3), "a record breaks off");
  records(std::string("\x80\x0d\x00\x00\x11", 5), "a record breaks off");
  records(std::string("\x80\x0d\x00\x00\x90", 5), "a record has a number of more than 8 bytes");
  records(std::string("\x80\x0d\x00\x01\x00", 5), "a record names a site that is not defined");
  records(std::string("\x80\x0d\x00\x81\x01\x00\x00\x00", 8),
          "a record names a site that is not defined");
  records(std::string("\x00\x00", 2), "an event is of no kind");
  records("\x80\xf1\x09", "a record has a number of more than 8 bytes");
  records("\x80\xff\x01", "a record is of an unknown kind");
  records("\x80\xf6\x01 2345678\x05....", "a record breaks off");
  wrong(BlockKind::kDefinitions, "\x09", "a definition is of an unknown kind");
  wrong(BlockKind::kDefinitions, std::string("\x02\x01\xff\xff\x03", 5),
        "a definition ends too early or has a number out of range");
  wrong(BlockKind::kDefinitions, std::string("\x04\x02\x01\x00", 4),
        "a definition ends too early or has a number out of range");
}

// A header that claims the most that it may, with nothing behind it: no memory is asked for.
TEST_F(DamagedTrace, ClaimsAreNotBelieved) {
  std::string header;
  put_fixed(&header, static_cast<std::uint32_t>(BlockKind::kHeader));
  put_fixed(&header, std::uint32_t{0xffffffff});
  put_fixed(&header, std::uint32_t{0xffffffff});
  put_fixed(&header, crc32(header));
  expect_hopeless(trace_start() + header,
                  std::string("byte 17: a block is larger than it can be: ") + kAgain);
}

}  // namespace
}  // namespace raddle
