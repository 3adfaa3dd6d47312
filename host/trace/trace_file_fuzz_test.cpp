// Feeds mutated traces and STD texts to their readers: at least 100,000 of the former in a build
// with AddressSanitizer, a tenth of that elsewhere; RADDLE_FUZZ_FILES says otherwise.
// Deterministic: a failure prints the number of its file, and the same number gives the same bytes
// everywhere.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "host/base/crc32.hpp"
#include "host/base/crc32c.hpp"
#include "host/trace/rapid_format.hpp"
#include "host/trace/testing/stream_teller.hpp"
#include "host/trace/testing/trace_samples.hpp"
#include "host/trace/trace_block.hpp"
#include "host/trace/trace_definitions.hpp"
#include "host/trace/trace_metadata.hpp"
#include "host/trace/trace_reader.hpp"

namespace raddle {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int kDefaultFiles = 120'000;
#else
constexpr int kDefaultFiles = 12'000;
#endif
constexpr int kTests = 4;  // they share the number of files

int files_per_test() {
  const char* wanted = std::getenv("RADDLE_FUZZ_FILES");
  const int files = wanted != nullptr ? std::atoi(wanted) : kDefaultFiles;
  return (files + kTests - 1) / kTests;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool coin() { return below(2) == 0; }

  // A few changes at once. `other` is where splices come from.
  void mutate(std::string* bytes, const std::string& other) {
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) mutate_once(bytes, other);
  }

 private:
  void mutate_once(std::string* bytes, const std::string& other) {
    if (bytes->empty()) {
      *bytes = other;
      return;
    }
    const std::size_t place = below(bytes->size());
    const std::size_t length = 1 + below(std::min<std::size_t>(64, bytes->size() - place));
    switch (below(7)) {
      case 0:
        (*bytes)[place] = static_cast<char>((*bytes)[place] ^ (1 << below(8)));
        break;
      case 1:
        (*bytes)[place] = static_cast<char>(random_());
        break;
      case 2:
        bytes->resize(place);
        break;
      case 3:
        bytes->erase(place, length);
        break;
      case 4:
        bytes->insert(place, bytes->substr(below(bytes->size()), length));
        break;
      case 5: {  // the tail, or a piece, of another
        const std::size_t from = below(other.size());
        if (coin()) bytes->resize(place);
        bytes->insert(place, other.substr(from, coin() ? std::string::npos : length));
        break;
      }
      case 6: {  // a number that is special somewhere
        static constexpr std::uint64_t kSpecial[] = {
            0,      1,      0x7f,      0x80,       0xff,       0x7fff,
            0x8000, 0xfffe, 0xffff,    0x7fffffff, 0x80000000, 0xffffffff,
            32'768, 32'769, 4'194'304, 4'194'305,  ~0ULL,      1ULL << 63};
        const std::uint64_t value = kSpecial[below(std::size(kSpecial))];
        const std::size_t width = std::size_t{1} << below(4);
        for (std::size_t i = 0; i < width && place + i < bytes->size(); ++i) {
          (*bytes)[place + i] = static_cast<char>(value >> (8 * i));
        }
        break;
      }
    }
  }

  std::mt19937_64 random_;
};

// Fails on what a sink must never see.
class CheckingSink : public EventSink {
 public:
  void define_site(SiteId id, const Site& site) override {
    ok_ = ok_ && raw(id) == ++sites_ && static_cast<int>(site.kind) < kEventKinds;
  }
  void define_thread(ThreadId id, const std::string&) override { ok_ = ok_ && id != kNoThread; }
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string&) override {
    ok_ = ok_ && address + bytes >= address;
  }
  void events(std::span<const Event> events) override {
    for (const Event& event : events) {
      ok_ = ok_ && valid_event(event) && raw(event.site) <= sites_;
      hash_ = (hash_ ^ event.object ^ event.value ^ event.context) * 0x9e3779b97f4a7c15ULL;
    }
    count_ += events.size();
  }
  void end(const TraceEnd&) override { ++ends_; }
  bool ok() const { return ok_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t hash() const { return hash_; }
  int ends() const { return ends_; }

 private:
  bool ok_ = true;
  std::uint32_t sites_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t hash_ = 0;
  int ends_ = 0;
};

// The reader takes a path: a file in memory has one too.
class Reader {
 public:
  Reader() : fd_(memfd_create("fuzzed", 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {}
  ~Reader() { close(fd_); }

  void feed(const std::string& bytes, int number) {
    ASSERT_EQ(ftruncate(fd_, 0), 0);
    ASSERT_EQ(pwrite(fd_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    CheckingSink strict;
    const auto summary = read_trace(path_, strict);
    ASSERT_TRUE(strict.ok()) << number;
    events_ += strict.count();
    CheckingSink sink;
    const auto salvaged = read_trace(path_, sink, ReadOptions{.salvage = true});
    ASSERT_EQ(sink.count(), strict.count()) << number;
    ASSERT_EQ(sink.hash(), strict.hash()) << number;
    ASSERT_EQ(sink.ends(), salvaged ? 1 : 0) << number;
    if (summary) {
      ++accepted_;
      ASSERT_EQ(summary->events, strict.count()) << number;
      ASSERT_EQ(strict.ends(), 1) << number;
      return;
    }
    ASSERT_EQ(summary.error().rfind(path_ + ": byte ", 0), 0U) << number << summary.error();
    ASSERT_EQ(summary.error().find('\n'), std::string::npos) << number << summary.error();
    if (salvaged) {
      ++salvaged_;
      ASSERT_TRUE(salvaged->damage) << number;
      ASSERT_LE(salvaged->damage->offset, bytes.size()) << number;
    }
  }
  int accepted() const { return accepted_; }
  int salvaged() const { return salvaged_; }
  std::uint64_t events() const { return events_; }

 private:
  int fd_;
  std::string path_;
  int accepted_ = 0;
  int salvaged_ = 0;
  std::uint64_t events_ = 0;
};

struct Block {
  BlockKind kind;
  std::string contents;
};

// Some traces, each as the contents of its blocks.
class BlockKeeper : public StreamSink {
 public:
  std::vector<Block> blocks;

  void define_site(SiteId, const Site& site) override { put_site(definitions(), site); }
  void define_object(NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                     const std::string& name) override {
    put_object(definitions(), from, address, bytes, name);
  }
  void define_member(NameAnchor from, const std::string& cls, std::uint32_t offset,
                     const std::string& member) override {
    put_member(definitions(), from, cls, offset, member);
  }
  void define_code(const CodeRange& range) override { put_code(definitions(), range); }
  void records(std::span<const std::uint8_t> bytes, bool fresh) override {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    blocks.push_back({BlockKind::kRecords,
                      records_block_start({record_bytes, fresh}, text).substr(kBlockHeaderBytes) +
                          std::string(text)});
    record_bytes += bytes.size();
  }
  std::uint64_t record_bytes = 0;

 private:
  std::string* definitions() {
    if (blocks.back().kind != BlockKind::kDefinitions)
      blocks.push_back({BlockKind::kDefinitions, ""});
    return &blocks.back().contents;
  }
};

std::vector<std::vector<Block>> base_traces() {
  std::vector<std::vector<Block>> traces;
  for (SampleTrace trace :
       {sample_map(300), sample_sort(400, 1, 16), sample_chaos(60, 3, 4), sample_noise(40)}) {
    BlockKeeper keeper;
    trace.header.shared_only = traces.size() % 2 == 1;
    keeper.blocks.push_back({BlockKind::kHeader, format_trace_header(trace.header)});
    StreamTeller teller(keeper, RADDLE_CHUNK_BYTES, 1 + static_cast<unsigned>(traces.size() % 2));
    feed_start(trace, teller);
    keeper.define_code({0x1000, 0x2000, true});
    keeper.define_object({2, 0}, 0x3000, 8, "later");
    keeper.define_member({1, 1}, "Account", 16, "n_");
    std::span<const Event> rest(trace.events);
    for (const std::size_t part : {rest.size() / 3, rest.size() - rest.size() / 3}) {
      teller.events(rest.first(part));
      rest = rest.subspan(part);
      teller.define_thread(ThreadId{1}, "worker");
      teller.define_object(0x1000, 16, "m");
      teller.define_member("Account", 8, "m_");
    }
    keeper.blocks.push_back({BlockKind::kEnd, format_trace_end(trace.end, keeper.record_bytes)});
    traces.push_back(keeper.blocks);
  }
  return traces;
}

// With its checksums, whatever is in it.
std::string framed_records(std::string contents) {
  contents.resize(std::max(contents.size(), kRecordsHeaderBytes));
  const std::string_view summed = std::string_view(contents).substr(0, kRecordsHeaderBytes - 4);
  const std::uint32_t sum =
      crc32c(std::string_view(contents).substr(kRecordsHeaderBytes), crc32c(summed));
  for (std::size_t i = 0; i < 4; ++i) {
    contents[kRecordsHeaderBytes - 4 + i] = static_cast<char>(sum >> (8 * i));
  }
  std::string header;
  put_fixed(&header, static_cast<std::uint32_t>(BlockKind::kRecords));
  put_fixed(&header, static_cast<std::uint32_t>(contents.size()));
  put_fixed(&header, static_cast<std::uint32_t>(contents.size()));
  put_fixed(&header, crc32(header));
  return header + contents;
}

std::string framed(const std::vector<Block>& blocks) {
  static BlockCompressor compressor;
  std::string bytes = trace_start();
  for (const Block& block : blocks) {
    bytes += block.kind == BlockKind::kRecords
                 ? framed_records(block.contents)
                 : std::string(*compressor.seal(block.kind, block.contents));
  }
  return bytes;
}

// Makes the checksums of the block headers fit again, as far as they can be followed.
void fix_headers(std::string* bytes) {
  for (std::size_t at = kTraceStart; at + kBlockHeaderBytes <= bytes->size();) {
    const std::uint32_t crc = crc32(std::string_view(*bytes).substr(at, kBlockHeaderBytes - 4));
    for (std::size_t i = 0; i < 4; ++i) {
      (*bytes)[at + kBlockHeaderBytes - 4 + i] = static_cast<char>(crc >> (8 * i));
    }
    ByteReader header(std::string_view(*bytes).substr(at + 4));
    at += kBlockHeaderBytes + header.fixed<std::uint32_t>();
  }
}

// Whole files, byte by byte; every second one with headers made correct again.
TEST(TraceFileFuzz, WholeFiles) {
  std::vector<std::string> bases;
  for (const std::vector<Block>& blocks : base_traces()) bases.push_back(framed(blocks));
  Reader reader;
  for (int i = 0; i < files_per_test(); ++i) {
    Mutator mutator(static_cast<std::uint64_t>(i) * 8);
    std::string bytes = bases[mutator.below(bases.size())];
    mutator.mutate(&bytes, bases[mutator.below(bases.size())]);
    if (i % 2 == 0) fix_headers(&bytes);
    reader.feed(bytes, i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(reader.salvaged(), files_per_test() / 4);
  EXPECT_GT(reader.events(), 0U);
}

Block& any_records(std::vector<Block>& blocks, Mutator& mutator) {
  for (;;) {
    Block& block = blocks[mutator.below(blocks.size())];
    if (block.kind == BlockKind::kRecords) return block;
  }
}

// The contents of one block, correctly framed.
void fuzz_contents(std::uint64_t test, bool records) {
  const std::vector<std::vector<Block>> bases = base_traces();
  Reader reader;
  for (int i = 0; i < files_per_test(); ++i) {
    Mutator mutator(static_cast<std::uint64_t>(i) * 8 + test);
    std::vector<Block> blocks = bases[mutator.below(bases.size())];
    Block& block = records ? any_records(blocks, mutator) : blocks[mutator.below(blocks.size())];
    const std::vector<Block>& other = bases[mutator.below(bases.size())];
    mutator.mutate(&block.contents, other[mutator.below(other.size())].contents);
    reader.feed(framed(blocks), i);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(reader.accepted(), 0);
  EXPECT_GT(reader.salvaged(), files_per_test() / 4);
  EXPECT_GT(reader.events(), 0U);
}

TEST(TraceFileFuzz, AnyContentsInACorrectFrame) { fuzz_contents(1, false); }

// The records alone, of the same length: nearly all of it reaches the decoder.
TEST(TraceFileFuzz, RecordsInACorrectFrame) {
  const std::vector<std::vector<Block>> bases = base_traces();
  Reader reader;
  for (int i = 0; i < files_per_test(); ++i) {
    Mutator mutator(static_cast<std::uint64_t>(i) * 8 + 2);
    std::vector<Block> blocks = bases[mutator.below(bases.size())];
    std::string& contents = any_records(blocks, mutator).contents;
    for (std::size_t changes = 1 + mutator.below(6); changes > 0; --changes) {
      const std::size_t place =
          kRecordsHeaderBytes + mutator.below(contents.size() - kRecordsHeaderBytes);
      contents[place] = static_cast<char>(mutator.coin() ? mutator.below(256)
                                                         : contents[place] ^ 1 << mutator.below(8));
    }
    reader.feed(framed(blocks), i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(reader.accepted(), 0);
  EXPECT_GT(reader.salvaged(), files_per_test() / 4);
}

TEST(TraceFileFuzz, AnyRecordsInACorrectFrame) { fuzz_contents(3, true); }

TEST(TraceFileFuzz, RapidTexts) {
  std::vector<std::string> bases{
      "T0|fork(T1)|1\nT0|acq(L1)|2\nT0|w(V1)|345\nT0|rel(L1)|3\n"
      "T1|begin(B)|4\nT1|r(V1)|345\nT1|end(B)|5\nT0|join(T1)|6\n"};
  for (const SampleTrace& trace : {sample_map(200), sample_chaos(50, 3, 4)}) {
    bases.emplace_back();
    feed(trace, *RapidExporter::into(&bases.back()));
    bases.back().resize(std::min<std::size_t>(bases.back().size(), 4000));
  }
  int accepted = 0;
  for (int i = 0; i < files_per_test(); ++i) {
    Mutator mutator(static_cast<std::uint64_t>(i) * 8 + 4);
    std::string text = bases[mutator.below(bases.size())];
    mutator.mutate(&text, bases[mutator.below(bases.size())]);
    CheckingSink strict;
    const auto summary = parse_std(text, "fuzzed", strict);
    ASSERT_TRUE(strict.ok()) << i;
    CheckingSink sink;
    ASSERT_TRUE(parse_std(text, "fuzzed", sink, ReadOptions{.salvage = true})) << i;
    ASSERT_TRUE(sink.ok()) << i;
    if (summary) {
      ++accepted;
      // Inner acquires of a recursive lock are gone after the first time; then nothing changes.
      std::string once, twice;
      ASSERT_TRUE(parse_std(text, "fuzzed", *RapidExporter::into(&once))) << i;
      ASSERT_TRUE(parse_std(once, "once", *RapidExporter::into(&twice))) << i;
      ASSERT_EQ(once, twice) << i;
    } else {
      ASSERT_EQ(summary.error().rfind("fuzzed:", 0), 0U) << i << summary.error();
      ASSERT_EQ(summary.error().find('\n'), std::string::npos) << i << summary.error();
    }
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace raddle
