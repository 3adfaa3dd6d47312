// --format: a format that no command knows of works with all of them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "host/cli/arguments.hpp"
#include "host/describe/finding_story.hpp"
#include "host/trace/testing/stream_teller.hpp"
#include "host/trace/testing/trace_story.hpp"

namespace raddle {
namespace {

// One line for the document, and one for each finding and each count.
std::string write_tiny(const Document& document, const TextOptions&) {
  std::string text =
      fmt::format("{} on {}: {}\n", document.command, document.program,
                  document.verdict == DocumentVerdict::kFound ? "found" : "not found");
  for (const DocumentFinding& finding : document.findings) {
    text += fmt::format("{} {} {} steps\n", finding_level_text(finding.level), finding.kind,
                        finding.execution.steps.size());
  }
  for (const DocumentCount& count : document.counts)
    text += fmt::format("{} {}\n", count.number, count.what);
  return text;
}

constexpr Format kTiny{
    .name = "tiny", .summary = "in few words", .owns_output = true, .write = write_tiny};

struct Shown {
  int status = -1;
  std::string out;
  std::string err;
};

class FormatOptionTest : public ::testing::Test {
 protected:
  FormatOptionTest() {
    char pattern[] = "/tmp/raddle-format-XXXXXX";
    folder_ = mkdtemp(pattern);
    file_ = folder_ + "/bank.trace";
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(file_);
    EXPECT_TRUE(writer) << writer.error();
    RecordingSink recording(**writer);
    samples::tell_bank(recording);
  }
  ~FormatOptionTest() override { std::filesystem::remove_all(folder_); }

  static Shown run(std::vector<std::string> words) {
    words.insert(words.begin(), "raddle");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    std::vector<const Format*> offered(formats().begin(), formats().end());
    offered.push_back(&kTiny);
    const Arguments arguments =
        parse_arguments(static_cast<int>(argv.size()), argv.data(), offered);
    if (const auto* error = std::get_if<UsageError>(&arguments)) return {2, "", error->text};
    if (const auto* told = std::get_if<Told>(&arguments)) return {0, told->text, ""};
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

TEST_F(FormatOptionTest, ANewFormatWorksWithCommandsThatDoNotKnowIt) {
  const Shown doctor = run({"doctor", "--format", "tiny"});
  EXPECT_TRUE(doctor.out.starts_with("doctor on this machine: not found\n")) << doctor.out;
  EXPECT_NE(doctor.out.find(" warnings\n"), std::string::npos) << doctor.out;

  const Shown analyze = run({"analyze", "--format", "tiny", file_});
  EXPECT_TRUE(analyze.out.starts_with("analyze on ")) << analyze.out;
  EXPECT_NE(analyze.out.find(" events\n"), std::string::npos) << analyze.out;

  const Shown bad = run({"doctor", "--format", "tiny", "--", "/does/not/exist"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(bad.out.find("\n0 bad\n"), std::string::npos) << bad.out;
}

TEST_F(FormatOptionTest, AFormatThatCannotStreamShowsTheFiguresOfATrace) {
  const Shown trace = run({"trace", "--format", "tiny", file_});
  EXPECT_EQ(trace.status, 0) << trace.err;
  EXPECT_TRUE(trace.out.starts_with("trace on ")) << trace.out;
  EXPECT_NE(trace.out.find(" threads\n"), std::string::npos) << trace.out;
}

TEST_F(FormatOptionTest, JsonIsTheShortFormOfFormatJson) {
  for (const char* command : {"trace", "analyze"}) {
    const Shown brief = run({command, "--json", file_});
    EXPECT_EQ(brief.out, run({command, "--format", "json", file_}).out);
    EXPECT_TRUE(brief.out.starts_with("{")) << brief.out;
    EXPECT_EQ(run({command, file_}).out, run({command, "--format", "text", file_}).out);
  }
}

TEST_F(FormatOptionTest, ABadNameIsAnErrorThatListsTheFormats) {
  const Shown shown = run({"trace", "--format", "yaml", file_});
  EXPECT_EQ(shown.status, 2);
  EXPECT_NE(shown.err.find("`yaml' is not one of text, json, sarif"), std::string::npos)
      << shown.err;
  EXPECT_NE(shown.err.find(", tiny"), std::string::npos) << shown.err;
  EXPECT_EQ(run({"trace", "--json", "--format", "text", file_}).status, 2);
  EXPECT_EQ(run({"trace", "--format", "text", "--json", file_}).status, 2);
  EXPECT_EQ(run({"trace", "--format", "json", "--json", file_}).status, 0);
}

TEST_F(FormatOptionTest, HelpOfEveryCommandNamesTheFormats) {
  for (const char* command : {"run", "record", "trace", "analyze", "check", "hunt", "fuzz",
                              "explore", "replay", "minimize", "doctor"}) {
    const Shown help = run({command, "--help"});
    EXPECT_NE(help.out.find("--format"), std::string::npos) << command;
    EXPECT_NE(help.out.find("in few words"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace raddle
