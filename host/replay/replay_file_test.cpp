#include "host/replay/replay_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/base/atomic_file.hpp"
#include "host/base/crc32.hpp"
#include "host/replay/replay_metadata.hpp"
#include "host/replay/testing/replay_file_samples.hpp"

namespace raddle {
namespace {

namespace fs = std::filesystem;

// A folder that is gone after the test.
class ReplayFileTest : public ::testing::Test {
 protected:
  ReplayFileTest() {
    std::string name = (fs::temp_directory_path() / "raddle-replay-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ReplayFileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

std::string bytes_of(const ReplayFile& file) {
  const Result<std::string> bytes = serialize_replay(file);
  EXPECT_TRUE(bytes) << bytes.error();
  return bytes ? *bytes : std::string();
}

std::string error_of(std::string_view bytes) {
  const Result<ReplayFile> file = parse_replay(bytes, "x.replay");
  return file ? "no error" : file.error();
}

void expect_error(std::string_view bytes, const std::string& part) {
  const std::string error = error_of(bytes);
  EXPECT_NE(error.find(part), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  EXPECT_EQ(error.rfind("x.replay", 0), 0U) << error;
}

// A file whose metadata had `from` replaced by `to`, with all lengths and the checksum correct.
std::string with_metadata(const std::string& from, const std::string& to) {
  const ReplayFile file = sample_replay(2, 10);
  std::string metadata = *format_metadata(file);
  const std::size_t place = metadata.find(from);
  EXPECT_NE(place, std::string::npos) << from << " is not in " << metadata;
  if (place != std::string::npos) metadata.replace(place, from.size(), to);
  return frame_replay(metadata, *compress_log(file.log));
}

void expect_same(const ReplayFile& a, const ReplayFile& b) {
  EXPECT_EQ(a.raddle_version, b.raddle_version);
  EXPECT_EQ(a.program, b.program);
  EXPECT_EQ(a.arguments, b.arguments);
  EXPECT_EQ(a.directory, b.directory);
  EXPECT_EQ(a.environment, b.environment);
  EXPECT_EQ(a.streams, b.streams);
  EXPECT_EQ(a.image, b.image);
  EXPECT_EQ(a.build_id, b.build_id);
  EXPECT_EQ(a.file_hash, b.file_hash);
  EXPECT_STREQ(a.plan.strategy, b.plan.strategy);
  EXPECT_EQ(a.plan.seed, b.plan.seed);
  EXPECT_EQ(a.plan.pct_depth, b.plan.pct_depth);
  EXPECT_EQ(a.plan.pct_steps, b.plan.pct_steps);
  EXPECT_EQ(a.plan.carrier, b.plan.carrier);
  EXPECT_EQ(a.plan.clock, b.plan.clock);
  EXPECT_EQ(a.plan.spurious_wakeups, b.plan.spurious_wakeups);
  EXPECT_EQ(a.plan.memory_unjudged, b.plan.memory_unjudged);
  EXPECT_EQ(a.plan.detail, b.plan.detail);
  EXPECT_EQ(a.plan.max_steps, b.plan.max_steps);
  EXPECT_EQ(a.plan.livelock_steps, b.plan.livelock_steps);
  EXPECT_EQ(a.plan.decide, b.plan.decide);
  EXPECT_EQ(a.plan.atomic_blocks, b.plan.atomic_blocks);
  EXPECT_EQ(a.plan.pause_permille, b.plan.pause_permille);
  EXPECT_EQ(a.plan.max_pause, b.plan.max_pause);
  EXPECT_EQ(a.plan.pattern, b.plan.pattern);
  EXPECT_EQ(a.plan.by_values, b.plan.by_values);
  EXPECT_EQ(a.aims, b.aims);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.group, b.group);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.explanation, b.explanation);
  ASSERT_EQ(a.log.size(), b.log.size());
  for (std::size_t i = 0; i < a.log.size(); ++i) {
    ASSERT_TRUE(same_step(a.log[i], b.log[i]) && a.log[i].site == b.log[i].site) << i;
  }
}

TEST(Crc32, ChecksTheUsualNine) { EXPECT_EQ(crc32("123456789"), 0xcbf43926U); }

TEST_F(ReplayFileTest, RoundTripThroughAFile) {
  for (std::uint16_t threads : {1, 4, 500}) {
    const ReplayFile file = sample_replay(threads, threads * 40U);
    const Result<std::monostate> written = write_replay(path("a.replay"), file);
    ASSERT_TRUE(written) << written.error();
    const Result<ReplayFile> again = read_replay(path("a.replay"));
    ASSERT_TRUE(again) << again.error();
    expect_same(file, *again);
  }
  EXPECT_EQ(entries(), 1U);
}

TEST_F(ReplayFileTest, EveryOutcomeAndAnEmptyLogSurvive) {
  for (int kind = 0; kind <= static_cast<int>(OutcomeKind::kDiverged); ++kind) {
    ReplayFile file = sample_replay(1, 0);
    file.outcome = static_cast<OutcomeKind>(kind);
    file.build_id.clear();
    const Result<ReplayFile> again = parse_replay(bytes_of(file), "x.replay");
    ASSERT_TRUE(again) << again.error();
    expect_same(file, *again);
  }
}

TEST_F(ReplayFileTest, StreamsAndWhatALauncherBecameSurvive) {
  ReplayFile file = sample_replay(2, 10);
  file.level = "harmful";
  file.explanation = "it went wrong\n  because T1 \"a\"\n";
  file.streams = {StreamKind::kTerminal, StreamKind::kFile, StreamKind::kOther};
  file.image = "/usr/bin/gzip";
  const Result<ReplayFile> again = parse_replay(bytes_of(file), "x.replay");
  ASSERT_TRUE(again) << again.error();
  expect_same(*again, file);
  // Earlier versions knew none of these: pipes, no launcher, no explanation.
  std::string metadata = *format_metadata(file);
  for (const char* name : {"\"streams\"", "\"image\"", "\"level\"", "\"explanation\""})
    metadata.replace(metadata.find(name), std::strlen(name), "\"unknown\"");
  const Result<ReplayFile> old =
      parse_replay(frame_replay(metadata, *compress_log(file.log)), "x.replay");
  ASSERT_TRUE(old) << old.error();
  EXPECT_EQ(old->streams, StreamKinds{});
  EXPECT_TRUE(old->image.empty());
  EXPECT_TRUE(old->level.empty());
  EXPECT_TRUE(old->explanation.empty());
  expect_error(with_metadata("\"explanation\": \"\"", "\"explanation\": 7"), "is not text");
  expect_error(with_metadata("\"pipe\"", "\"tube\""), "metadata field `streams.");
  expect_error(with_metadata("\"image\": \"\"", "\"image\": \"gzip\""),
               "image' is not an absolute");
}

TEST_F(ReplayFileTest, BytesThatAreNotUtf8Survive) {
  ReplayFile file = sample_replay(2, 5);
  file.arguments.push_back("caf\xe9 \xff");
  file.environment.push_back("BAD=\xc3");
  file.message = "quote \" backslash \\ newline \n zero " + std::string(1, '\0') + " \x80";
  const Result<ReplayFile> again = parse_replay(bytes_of(file), "x.replay");
  ASSERT_TRUE(again) << again.error();
  expect_same(file, *again);
}

TEST_F(ReplayFileTest, ExtremeRecordsSurvive) {
  ReplayFile file = sample_replay(1, 0);
  const auto choice = OpKind::value_choice;
  file.log = {{ThreadId{0xfffe}, choice, 255, ObjectId{256}, ~0ULL},
              {ThreadId{0}, OpKind::none, 3, ObjectId{0xffffffff}, 0},
              {ThreadId{128}, choice, 0, ObjectId{1}, ~0ULL}};
  const Result<ReplayFile> again = parse_replay(bytes_of(file), "x.replay");
  ASSERT_TRUE(again) << again.error();
  expect_same(file, *again);
}

// The most compressible log there is must not look like a decompression bomb to our own reader.
TEST_F(ReplayFileTest, MillionsOfEqualStepsAreSmallAndReadable) {
  ReplayFile file = sample_replay(1, 0);
  file.log.assign(4'000'000,
                  StepRecord{ThreadId{1}, OpKind::yield, 0, kNoObject, 0x555555555123ULL});
  const std::string bytes = bytes_of(file);
  EXPECT_LT(bytes.size(), 10'000U);
  const Result<ReplayFile> again = parse_replay(bytes, "x.replay");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->log.size(), file.log.size());
  EXPECT_EQ(log_hash(again->log), log_hash(file.log));
}

TEST_F(ReplayFileTest, TruncationIsNamedWithItsPlace) {
  const std::string bytes = bytes_of(sample_replay(3, 50));
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    expect_error(bytes.substr(0, size), "is truncated at byte " + std::to_string(size) + ": ");
  }
  expect_error("", "is empty: record it again");
}

TEST_F(ReplayFileTest, EverySingleBitFlipIsNoticed) {
  const std::string good = bytes_of(sample_replay(2, 10));
  for (std::size_t i = 0; i < good.size() * 8; ++i) {
    std::string bytes = good;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << i % 8));
    EXPECT_FALSE(parse_replay(bytes, "x.replay")) << "bit " << i;
  }
}

TEST_F(ReplayFileTest, OtherFilesAndOtherVersionsAreRefused) {
  expect_error(
      "\x7f"
      "ELF and so on",
      "is not a replay file: give one that");
  expect_error("#!/bin/sh\necho hello\n", "is not a replay file");
  std::string bytes = bytes_of(sample_replay(2, 10));
  bytes[kReplayMagic.size()] = 3;
  expect_error(bytes, "was written by a newer raddle (version 3, this one reads 2): ");
  // A later version may be shorter and have another checksum: the version still comes first.
  expect_error(bytes.substr(0, kReplayMagic.size() + 4), "was written by a newer raddle");
  bytes[kReplayMagic.size()] = 1;
  expect_error(bytes, "was written by an older raddle (version 1, this one reads 2): ");
  bytes[kReplayMagic.size()] = 0;
  expect_error(bytes, "no version 0 exists");
}

TEST_F(ReplayFileTest, DamageIsNoticed) {
  const std::string good = bytes_of(sample_replay(2, 10));
  std::string bytes = good;
  bytes[bytes.size() / 2] ^= 1;
  expect_error(bytes, "its checksum does not match; record it again");
  expect_error(good + "x", "it should end at byte " + std::to_string(good.size()));
}

TEST_F(ReplayFileTest, MetadataIsCheckedFieldByField) {
  expect_error(with_metadata("{", "["), "its metadata is not a JSON object");
  expect_error(with_metadata("{", "[[[[[[{"), "its metadata is not a JSON object");
  expect_error(with_metadata("\"seed\"", "\"sead\""), "metadata field `plan.seed' is missing");
  expect_error(with_metadata("\"pct_depth\": 3", "\"pct_depth\": 4294967296"),
               "metadata field `plan.pct_depth' is too large");
  expect_error(with_metadata("\"pct_depth\": 3", "\"pct_depth\": -3"), "is not a whole number");
  expect_error(with_metadata("\"pct_depth\": 3", "\"pct_depth\": \"3\""), "is not a whole number");
  expect_error(with_metadata("\"kernel\"", "\"pigeon\""),
               "metadata field `plan.carrier' has a value that this raddle does not know");
  expect_error(with_metadata("\"random\"", "\"" + std::string(32, 'r') + "\""),
               "`plan.strategy' is not the name of a strategy");
  expect_error(with_metadata("\"assertion\"", "\"opinion\""), "`outcome.kind' has a value");
  expect_error(with_metadata("\"/home/user/bank/bank\"", "\"bank\""),
               "`program' is not an absolute path");
  expect_error(with_metadata("\"./bank\"", "7"), "`arguments' has an entry that is not text");
  expect_error(with_metadata("\"./bank\"", "{\"hex\":\"6\"}"), "an entry that is not text");
  expect_error(with_metadata("\"./bank\"", "\"a\\u0000b\""), "has a zero byte in it");
  expect_error(with_metadata("HOME=", "=HOME"), "an entry that is not NAME=value");
  expect_error(with_metadata("fedcba98", "fedcba9z"), "`file_hash' is not 16 hex digits");
  expect_error(with_metadata("9f3c", "9f3!"), "`build_id' is not a build id");
  expect_error(with_metadata("\"detail\": false", "\"detail\": 0"), "neither true nor false");
  EXPECT_TRUE(parse_replay(with_metadata("{", "{\"later\": {\"more\": 1},"), "x.replay"));
}

TEST_F(ReplayFileTest, TheLogIsCheckedStepByStep) {
  const std::string metadata = *format_metadata(sample_replay(2, 0));
  const auto expect_log_error = [&](std::uint64_t steps, std::string packed,
                                    const std::string& part) {
    expect_error(frame_replay(metadata, *compress_packed(steps, packed)), part);
  };
  const std::string good("\0\1\0\0\0ssssssss", 13);
  const std::string next("\0\1\0\0\0", 5);
  EXPECT_TRUE(parse_replay(frame_replay(metadata, *compress_packed(2, good + next)), "x.replay"));
  expect_log_error(2, good + std::string("\0\xee\0\0\0", 5), "at step 1 (no such operation)");
  expect_log_error(2, good + std::string("\0\1\7\0\0", 5), "at step 1 (no such outcome)");
  expect_log_error(2, good + std::string("\xff\xff\3\1\0\0\0", 7), "at step 1 (no such thread)");
  expect_log_error(2, good + std::string("\0\1\0\0\2", 5), "at step 1 (a number out of range)");
  expect_log_error(2, good + std::string("\xff\xff\xff\xff\xff", 5), "a number out of range");
  expect_log_error(2, good + std::string("\0\1\0\0\1", 5), "at step 1 (it ends too early)");
  expect_log_error(3, good + next, "at step 2 (its length is wrong)");
  expect_log_error(1, good + next, "at step 1 (there are more steps than it should hold)");
  expect_log_error(9, good + next, "its sizes contradict each other");

  CompressedLog log = *compress_packed(2, good + next);
  log.bytes[5] ^= 0x40;
  expect_error(frame_replay(metadata, log), "the choice log is damaged at step");
  log = *compress_packed(2, good + next);
  log.bytes += log.bytes;
  expect_error(frame_replay(metadata, log), "the choice log is damaged at step");
}

TEST_F(ReplayFileTest, DecompressionBombsAreRefused) {
  const std::string metadata = *format_metadata(sample_replay(2, 0));
  CompressedLog bomb = *compress_packed(0, std::string(50'000'000, '\0'));
  bomb.steps = 10'000'000;
  bomb.packed_bytes = 50'000'000;
  expect_error(frame_replay(metadata, bomb), "is damaged");  // the first record takes 13 bytes
  bomb.packed_bytes = 100;
  bomb.steps = 20;
  expect_error(frame_replay(metadata, bomb), "there is more than it should hold");
  bomb.steps = 100'000'000;
  bomb.packed_bytes = 500'000'000;
  bomb.bytes.resize(100);
  expect_error(frame_replay(metadata, bomb), "its sizes contradict each other");
  bomb.steps = kMaxLogSteps + 1;
  expect_error(frame_replay(metadata, bomb), "claims more than a replay file can hold");
}

TEST_F(ReplayFileTest, WhatCannotBeReadBackIsNotWritten) {
  ReplayFile file = sample_replay(2, 10);
  file.log[3].thread = kNoThread;
  EXPECT_FALSE(write_replay(path("a.replay"), file));
  file = sample_replay(2, 10);
  file.arguments.clear();
  const Result<std::monostate> written = write_replay(path("a.replay"), file);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().find("`arguments' is empty"), std::string::npos) << written.error();
  EXPECT_EQ(entries(), 0U);
}

TEST_F(ReplayFileTest, FilesThatCannotBeReadAreNamed) {
  const auto error = [](const std::string& name) {
    const Result<ReplayFile> file = read_replay(name);
    return file ? std::string() : file.error();
  };
  EXPECT_NE(error(path("none")).find("No such file"), std::string::npos) << error(path("none"));
  EXPECT_NE(error(path("")).find("is a folder"), std::string::npos) << error(path(""));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_NE(error(path("pipe")).find("pipe, not a replay"), std::string::npos);
  std::ofstream(path("text")) << std::string(100'000, 'a');
  EXPECT_NE(error(path("text")).find("is not a replay file"), std::string::npos);
  // Sparse: 1 TB that must not be read.
  const int fd = open(path("huge").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(fd, 0);
  const std::string start = bytes_of(sample_replay(2, 10));
  ASSERT_EQ(write(fd, start.data(), start.size()), static_cast<ssize_t>(start.size()));
  if (ftruncate(fd, off_t{1} << 40) == 0) {
    EXPECT_NE(error(path("huge")).find("it should end at byte"), std::string::npos);
  }
  close(fd);
}

TEST_F(ReplayFileTest, AFailedWriteLeavesNothing) {
  const ReplayFile file = sample_replay(2, 10);
  const auto error = [&](const std::string& name) {
    const Result<std::monostate> written = write_replay(name, file);
    return written ? std::string("no error") : written.error();
  };
  EXPECT_NE(error(path("no/folder")).find("create the folder"), std::string::npos);
  fs::create_directory(path("taken"));
  EXPECT_NE(error(path("taken")).find("a folder has that name"), std::string::npos);
  EXPECT_NE(error("/dev/full/x").find("cannot write /dev/full/x: "), std::string::npos);
  EXPECT_EQ(entries(), 1U);
  // A device is no file to be replaced.
  EXPECT_NE(error("/dev/full").find("No space left"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));

  // An old file stays as it was when the new one cannot be written.
  ASSERT_TRUE(write_file_atomically(path("old"), "old"));
  ASSERT_TRUE(write_file_atomically(path("old"), "new"));
  std::string text;
  std::getline(std::ifstream(path("old")), text);
  EXPECT_EQ(text, "new");
  EXPECT_EQ(entries(), 2U);

  // What is no file stays what it is.
  fs::create_symlink(path("old"), path("link"));
  ASSERT_TRUE(write_file_atomically(path("link"), "newer"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  std::getline(std::ifstream(path("old")), text);
  EXPECT_EQ(text, "newer");
  ASSERT_TRUE(write_file_atomically("/dev/null", "lost"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace raddle
