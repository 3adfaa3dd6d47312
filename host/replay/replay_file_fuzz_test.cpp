// Feeds mutated replay files to the reader: at least 100,000 in a build with AddressSanitizer, a
// tenth of that elsewhere; RADDLE_FUZZ_FILES says otherwise. Deterministic: a failure prints the
// number of its file, and the same number gives the same bytes everywhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "host/base/crc32.hpp"
#include "host/replay/replay_file.hpp"
#include "host/replay/replay_metadata.hpp"
#include "host/replay/testing/replay_file_samples.hpp"

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
    switch (below(8)) {
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
      case 5: {  // the tail, or a piece, of another file
        const std::size_t from = below(other.size());
        if (coin()) bytes->resize(place);
        bytes->insert(place, other.substr(from, coin() ? std::string::npos : length));
        break;
      }
      case 6: {  // a number that is special somewhere
        static constexpr std::uint64_t kSpecial[] = {
            0,          1,          0x7f,        0x80,        0xff,  0xffff,    0x7fffffff,
            0x80000000, 0xffffffff, 200'000'000, 200'000'001, ~0ULL, 1ULL << 63};
        const std::uint64_t value = kSpecial[below(std::size(kSpecial))];
        const std::size_t width = std::size_t{1} << below(4);
        for (std::size_t i = 0; i < width && place + i < bytes->size(); ++i) {
          (*bytes)[place + i] = static_cast<char>(value >> (8 * i));
        }
        break;
      }
      case 7: {  // one of the length fields of the header, a little off or far off
        const std::size_t field = kReplayMagic.size() + 4 * below(8);
        for (std::size_t i = 0; i < 4 && field + i < bytes->size(); ++i) {
          if (coin()) (*bytes)[field + i] = static_cast<char>(coin() ? random_() : below(3));
        }
        break;
      }
    }
  }

  std::mt19937_64 random_;
};

std::vector<ReplayFile> base_files() {
  std::vector<ReplayFile> files{sample_replay(1, 0), sample_replay(2, 20), sample_replay(5, 300),
                                sample_replay(600, 700)};
  files[1].arguments.push_back("\xff\xfe");
  files[2].log.assign(20'000, StepRecord{ThreadId{1}, OpKind::yield, 0, kNoObject, 0x5555});
  return files;
}

void fix_checksum(std::string* bytes) {
  if (bytes->size() < 4) return;
  const std::uint32_t crc = crc32(std::string_view(*bytes).substr(0, bytes->size() - 4));
  for (std::size_t i = 0; i < 4; ++i) {
    (*bytes)[bytes->size() - 4 + i] = static_cast<char>(crc >> (8 * i));
  }
}

// Makes the header's lengths fit the size again, so that the sections behind it are reached.
void fix_lengths(std::string* bytes) {
  const std::size_t header = kReplayMagic.size() + 32;
  if (bytes->size() < header + 4) return;
  const auto* start = reinterpret_cast<const unsigned char*>(bytes->data()) + kReplayMagic.size();
  const std::uint64_t metadata = start[4] | start[5] << 8 | start[6] << 16;
  const std::uint64_t body = bytes->size() - header - 4;
  (*bytes)[kReplayMagic.size() + 7] = 0;
  const std::uint64_t compressed = metadata <= body ? body - metadata : 0;
  for (std::size_t i = 0; i < 8; ++i) {
    (*bytes)[header - 8 + i] = static_cast<char>(compressed >> (8 * i));
  }
}

// How many of the files the reader accepted; it either refuses in one line or gives a file that can
// be written and read again with the same log.
class Reader {
 public:
  void feed(const std::string& bytes, int number) {
    const Result<ReplayFile> file = parse_replay(bytes, "fuzzed");
    if (!file) {
      ASSERT_EQ(file.error().rfind("fuzzed ", 0), 0U) << number << ": " << file.error();
      ASSERT_EQ(file.error().find('\n'), std::string::npos) << number << ": " << file.error();
      reached_log_ += file.error().find("choice log") != std::string::npos;
      reached_metadata_ += file.error().find("metadata") != std::string::npos;
      return;
    }
    ++accepted_;
    const Result<std::string> again = serialize_replay(*file);
    ASSERT_TRUE(again) << number << ": " << again.error();
    const Result<ReplayFile> twice = parse_replay(*again, "again");
    ASSERT_TRUE(twice) << number << ": " << twice.error();
    ASSERT_EQ(log_hash(file->log), log_hash(twice->log)) << number;
    ASSERT_EQ(file->arguments, twice->arguments) << number;
  }
  int accepted() const { return accepted_; }
  int reached_log() const { return reached_log_; }
  int reached_metadata() const { return reached_metadata_; }

 private:
  int accepted_ = 0;
  int reached_log_ = 0;
  int reached_metadata_ = 0;
};

// Whole files, byte by byte; every second one with the checksum (and half of those with the
// lengths) made correct again.
void fuzz_whole_files(int seed_offset) {
  std::vector<std::string> bases;
  for (const ReplayFile& file : base_files()) bases.push_back(*serialize_replay(file));
  Reader reader;
  for (int i = 0; i < files_per_test(); ++i) {
    Mutator mutator(static_cast<std::uint64_t>(i) * 4 + seed_offset);
    std::string bytes = bases[mutator.below(bases.size())];
    mutator.mutate(&bytes, bases[mutator.below(bases.size())]);
    if (i % 2 == 0) {
      if (i % 4 == 0) fix_lengths(&bytes);
      fix_checksum(&bytes);
    }
    reader.feed(bytes, i);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(reader.reached_metadata(), 0);
  EXPECT_GT(reader.reached_log(), 0);
}

TEST(ReplayFileFuzz, WholeFiles) { fuzz_whole_files(0); }
TEST(ReplayFileFuzz, WholeFilesAgain) { fuzz_whole_files(1); }

TEST(ReplayFileFuzz, MetadataInACorrectFrame) {
  const std::vector<ReplayFile> bases = base_files();
  Reader reader;
  for (int i = 0; i < files_per_test(); ++i) {
    Mutator mutator(static_cast<std::uint64_t>(i) * 4 + 2);
    const ReplayFile& base = bases[mutator.below(2)];
    std::string metadata = *format_metadata(base);
    mutator.mutate(&metadata, *format_metadata(bases[mutator.below(bases.size())]));
    reader.feed(frame_replay(metadata, *compress_log(base.log)), i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(reader.reached_metadata(), files_per_test() / 2);
  EXPECT_GT(reader.accepted(), 0);
}

TEST(ReplayFileFuzz, LogInACorrectFrame) {
  const std::vector<ReplayFile> bases = base_files();
  std::vector<std::string> packed;
  for (const ReplayFile& file : bases) packed.push_back(pack_log(file.log));
  const std::string metadata = *format_metadata(bases[0]);
  Reader reader;
  for (int i = 0; i < files_per_test(); ++i) {
    Mutator mutator(static_cast<std::uint64_t>(i) * 4 + 3);
    const std::size_t base = mutator.below(bases.size());
    std::string records = packed[base];
    CompressedLog log;
    if (mutator.coin()) {  // wrong records, correctly compressed
      mutator.mutate(&records, packed[mutator.below(packed.size())]);
      log = *compress_packed(bases[base].log.size(), records);
    } else {  // a wrong zstd frame
      log = *compress_packed(bases[base].log.size(), records);
      mutator.mutate(&log.bytes, packed[mutator.below(packed.size())]);
    }
    if (mutator.below(8) == 0) log.steps += mutator.below(5);
    if (mutator.below(8) == 0) log.packed_bytes += mutator.below(5);
    reader.feed(frame_replay(metadata, log), i);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(reader.reached_log(), files_per_test() / 4);
  EXPECT_GT(reader.accepted(), 0);
}

}  // namespace
}  // namespace raddle
