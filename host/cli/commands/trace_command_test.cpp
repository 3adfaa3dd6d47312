// raddle trace on files, as the user calls it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "host/cli/arguments.hpp"
#include "host/trace/testing/stream_teller.hpp"
#include "host/trace/testing/trace_story.hpp"

namespace raddle {
namespace {

struct Shown {
  int status = -1;
  std::string out;
  std::string err;
};

class TraceCommandTest : public ::testing::Test {
 protected:
  TraceCommandTest() {
    char pattern[] = "/tmp/raddle-trace-XXXXXX";
    folder_ = mkdtemp(pattern);
    file_ = folder_ + "/bank.trace";
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(file_);
    EXPECT_TRUE(writer) << writer.error();
    RecordingSink recording(**writer);
    samples::tell_bank(recording);
    EXPECT_FALSE((*writer)->error().has_value());
  }
  ~TraceCommandTest() override { std::filesystem::remove_all(folder_); }

  static Shown run(std::vector<std::string> words) {
    words.insert(words.begin(), {"raddle", "trace"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    const Arguments arguments = parse_arguments(static_cast<int>(argv.size()), argv.data());
    if (const auto* error = std::get_if<UsageError>(&arguments)) return {2, "", error->text};
    Shown shown;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    shown.status = std::get<std::unique_ptr<Subcommand>>(arguments)->run();
    shown.out = ::testing::internal::GetCapturedStdout();
    shown.err = ::testing::internal::GetCapturedStderr();
    return shown;
  }

  std::string contents() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::string folder_;
  std::string file_;
};

TEST_F(TraceCommandTest, PrintsColumns) {
  const Shown shown = run({file_});
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.err, "");
  EXPECT_NE(shown.out.find("T1 \"teller-1\"            T2 teller\n"), std::string::npos)
      << shown.out;
  EXPECT_NE(shown.out.find("#1@bank.cpp:40 = -40\n"), std::string::npos);
  EXPECT_EQ(shown.out.find('\x1b'), std::string::npos);  // no terminal, no colours
}

TEST_F(TraceCommandTest, FiltersCombine) {
  const Shown shown = run(
      {file_, "--thread", "1", "--object", "balance_", "--steps", "6..", "--function", "withdraw"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.out.find("1 of 17 events"), std::string::npos) << shown.out;
  const Shown two = run({file_, "--kind", "read,write", "--thread", "T1", "--thread", "T2"});
  EXPECT_NE(two.out.find("4 of 17 events"), std::string::npos) << two.out;
}

TEST_F(TraceCommandTest, SaysThatNothingMatches) {
  const Shown shown = run({file_, "--object", "nothing_like_it"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(
      shown.err,
      fmt::format("raddle: {}: none of the 17 events matches all that was asked for\n", file_));
}

TEST_F(TraceCommandTest, StatsKnowTheSize) {
  const Shown shown = run({file_, "--stats"});
  EXPECT_EQ(shown.status, 0);
  const std::string size = fmt::format("\n{} bytes on disk, ", contents().size());
  EXPECT_NE(shown.out.find(size), std::string::npos) << shown.out;
  EXPECT_EQ(run({file_, "--stats", "--json"}).out[0], '{');
}

TEST_F(TraceCommandTest, JsonIsOneObjectALine) {
  const Shown shown = run({file_, "--json", "--all"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_EQ(shown.out.rfind("{\"type\": \"trace\", \"program\": \"/src/bank\"", 0), 0u);
  EXPECT_NE(shown.out.find("\"events\": 17, \"shown\": 17}\n"), std::string::npos);
}

TEST_F(TraceCommandTest, StdGoesOutAndComesBack) {
  const Shown out = run({file_, "--std"});
  EXPECT_EQ(out.status, 0);
  EXPECT_EQ(out.err, "");
  EXPECT_EQ(out.out.rfind("T0|fork(", 0), 0u) << out.out;
  // Recognised by what it looks like, whatever its name.
  const std::string path = write("bank.txt", out.out);
  const Shown back = run({path});
  EXPECT_EQ(back.status, 0) << back.err;
  EXPECT_NE(back.out.find("imported from std"), std::string::npos) << back.out;
  EXPECT_EQ(run({path, "--std"}).out, out.out);
  EXPECT_EQ(run({path, "--from", "std", "--stats"}).status, 0);
  const Shown wrong = run({path, "--from", "raddle"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err, "");
  const Shown malformed = run({write("bad.std", "T0|r(x)|1\nT0|q(x)|2\n")});
  EXPECT_EQ(malformed.status, 2);
  EXPECT_NE(malformed.err.find("bad.std:2"), std::string::npos) << malformed.err;
}

TEST_F(TraceCommandTest, DamageIsAnErrorWithItsOffset) {
  std::string bytes = contents();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  const std::string path = write("damaged.trace", bytes);
  const Shown shown = run({path});
  EXPECT_EQ(shown.status, 2);
  EXPECT_EQ(shown.err.rfind("raddle: ", 0), 0u);
  EXPECT_NE(shown.err.find("damaged.trace"), std::string::npos) << shown.err;
  EXPECT_NE(shown.err.find_first_of("0123456789", shown.err.find("damaged.trace")),
            std::string::npos)
      << shown.err;
  EXPECT_EQ(std::count(shown.err.begin(), shown.err.end(), '\n'), 1) << shown.err;
  const Shown salvaged = run({path, "--salvage"});
  EXPECT_EQ(salvaged.status, 0) << salvaged.err;
  EXPECT_NE(salvaged.err.find("damaged at byte "), std::string::npos) << salvaged.err;
  EXPECT_EQ(run({path, "--stats"}).status, 2);
  EXPECT_EQ(run({path, "--json"}).status, 2);
  EXPECT_EQ(run({path, "--std"}).status, 2);
}

TEST_F(TraceCommandTest, WhatIsNoTrace) {
  for (const std::string& path :
       {write("empty", ""), write("text", "hello\nworld\n"), folder_, folder_ + "/missing"}) {
    for (const char* option : {"--salvage", "--all", "--stats", "--json"}) {
      const Shown shown = run({path, option});
      EXPECT_EQ(shown.status, 2) << path << option;
      EXPECT_EQ(std::count(shown.err.begin(), shown.err.end(), '\n'), 1) << shown.err;
    }
  }
}

TEST_F(TraceCommandTest, Usage) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_NE(run({file_, "--steps", "9..3"}).err.find("ends before it begins"), std::string::npos);
  EXPECT_NE(run({file_, "--kind", "sneeze"}).err.find("no kind of event"), std::string::npos);
  EXPECT_NE(run({file_, "--std", "--thread", "1"}).err.find("not with filters"), std::string::npos);
  EXPECT_NE(run({file_, "--std", "--json"}).err.find("--std"), std::string::npos);
  EXPECT_NE(run({file_, "--from", "vcd"}).err.find("is not one of"), std::string::npos);
  EXPECT_NE(run({file_, "--", "prog"}).err.find("nothing after --"), std::string::npos);
  EXPECT_EQ(run({file_, "--thread", ""}).status, 2);
}

}  // namespace
}  // namespace raddle
