// raddle analyze on traces that no program would leave: events that do not fit together.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/arguments.hpp"
#include "host/trace/testing/event_samples.hpp"
#include "host/trace/testing/stream_teller.hpp"

namespace raddle {
namespace {

struct Shown {
  int status = -1;
  std::string out;
  std::string err;
};

class AnalyzeCommandTest : public ::testing::Test {
 protected:
  AnalyzeCommandTest() {
    char pattern[] = "/tmp/raddle-analyze-XXXXXX";
    folder_ = mkdtemp(pattern);
    file_ = folder_ + "/some.trace";
  }
  ~AnalyzeCommandTest() override { std::filesystem::remove_all(folder_); }

  // Records what `tell` tells.
  template <class Tell>
  void record(Tell tell, bool instrumented = true) {
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(file_);
    ASSERT_TRUE(writer) << writer.error();
    TraceHeader header;
    header.program = "/src/bank";
    header.origin = "raddle";
    header.instrumented = instrumented;
    RecordingSink recording(**writer);
    recording.begin(header);
    samples::Story story(recording);
    story.event(EventKind::thread_begin, 0);
    tell(story);
    TraceEnd end;
    end.complete = true;
    end.outcome = "passed";
    recording.end(end);
    ASSERT_FALSE((*writer)->error().has_value());
  }

  Shown run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"raddle", "analyze"});
    words.push_back(file_);
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

  std::string folder_;
  std::string file_;
};

// A release without acquire, a block that ends before it began, a thread that nobody created; then
// a race all the same.
void tell_nonsense(samples::Story& story) {
  story.event(EventKind::release, 0x100, kNoSite, 0);
  story.event(EventKind::block_exit, 0);
  story.event(EventKind::fork, 0, kNoSite, 1);
  story.event(EventKind::write, 0x2000, story.at("main", "/src/bank.cpp", 3));
  story.thread = ThreadId{1};
  story.event(EventKind::thread_begin, 0);
  story.event(EventKind::write, 0x2000, story.at("teller", "/src/bank.cpp", 9));
  story.thread = ThreadId{7};
  story.event(EventKind::read, 0x3000);
}

TEST_F(AnalyzeCommandTest, WhatDoesNotFitIsAWarningAndAnalysisGoesOn) {
  record(tell_nonsense);
  const Shown shown = run({"--detector", "race"});
  EXPECT_EQ(shown.status, 1);
  EXPECT_NE(shown.out.find("1  CONFIRMED  race"), std::string::npos) << shown.out;
  // Each with its place in the stream.
  EXPECT_NE(shown.err.find("raddle: warning: event 2: "), std::string::npos) << shown.err;
  EXPECT_NE(shown.err.find("raddle: warning: event 3: "), std::string::npos) << shown.err;
  EXPECT_NE(shown.err.find("raddle: warning: event 8: "), std::string::npos) << shown.err;
  const auto json = nlohmann::json::parse(run({"--json"}).out);
  EXPECT_EQ(json["problem_count"], json["problems"].size());
  EXPECT_GE(json["problem_count"], 3);
}

TEST_F(AnalyzeCommandTest, WithStrictItIsAnError) {
  record(tell_nonsense);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--strict-events"},
        std::vector<std::string>{"--strict-events", "--json"}}) {
    const Shown shown = run(options);
    EXPECT_EQ(shown.status, 2);
    EXPECT_EQ(shown.out, "");
    EXPECT_EQ(shown.err.rfind("raddle: event 2: ", 0), 0U) << shown.err;
    EXPECT_EQ(shown.err.find("warning"), std::string::npos);
  }
  record([](samples::Story&) {});
  EXPECT_EQ(run({"--strict-events"}).status, 0);
}

TEST_F(AnalyzeCommandTest, ManyWarningsAreCut) {
  record([](samples::Story& story) {
    for (int i = 0; i < 500; ++i) story.event(EventKind::release, 0x100, kNoSite, 0);
  });
  const std::string err = run({}).err;
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 11);
  EXPECT_NE(err.find("raddle: and 490 more of this kind\n"), std::string::npos) << err;
}

TEST_F(AnalyzeCommandTest, SaysWhenThereAreNoAccesses) {
  record([](samples::Story&) {}, false);
  const Shown shown = run({});
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.out.find("race, lifetime, lockset, atomset see nothing"), std::string::npos)
      << shown.out;
}

}  // namespace
}  // namespace raddle
