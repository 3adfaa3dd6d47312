#include "host/analysis/pipeline/pipeline.hpp"

#include <gtest/gtest.h>

#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {
namespace {

Finding finding(FindingKind kind, std::uint64_t place, std::uint64_t count) {
  Finding finding;
  finding.kind = kind;
  finding.place = place;
  finding.count = count;
  return finding;
}

TEST(Pipeline, GroupsByPlaceWorstFirst) {
  const std::vector<Finding> groups =
      group_findings({finding(FindingKind::lockset, 1, 9), finding(FindingKind::race, 2, 1),
                      finding(FindingKind::race, 3, 2), finding(FindingKind::race, 2, 4),
                      finding(FindingKind::atomicity, 4, 1)});
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[0].place, 2U);
  EXPECT_EQ(groups[0].count, 5U);
  EXPECT_EQ(groups[1].place, 3U);
  EXPECT_EQ(groups[2].kind, FindingKind::atomicity);
  EXPECT_EQ(groups[3].kind, FindingKind::lockset);
}

TEST(Pipeline, AnUnknownDetectorIsNamedWithThoseThatExist) {
  AnalysisOptions options;
  options.detectors = {"race", "rays"};
  const auto pipeline = Pipeline::make(options);
  ASSERT_FALSE(bool(pipeline));
  EXPECT_NE(pipeline.error().find("'rays'"), std::string::npos) << pipeline.error();
  EXPECT_NE(pipeline.error().find("race, lifetime, lockset, atomizer"), std::string::npos)
      << pipeline.error();
}

std::string everything(const TestTrace& trace, std::size_t batch,
                       std::vector<std::string> detectors = {}, std::size_t threads = 1) {
  AnalysisOptions options;
  options.threads = threads;
  options.detectors = std::move(detectors);
  options.atomic = {true, true, true};
  auto pipeline = Pipeline::make(options);
  trace.feed(**pipeline, batch);
  std::string text = std::to_string((*pipeline)->state().events()) + " events\n";
  for (const std::string& note : (*pipeline)->notes()) text += note + "\n";
  for (const std::string& problem : (*pipeline)->problems()) text += problem + "\n";
  if (const auto& counts = (*pipeline)->block_counts())
    text += std::to_string(counts->atomic) + " of " + std::to_string(counts->entered) + "\n";
  for (const Finding& finding : (*pipeline)->findings()) {
    text += std::string(finding_kind_text(finding.kind)) + " " + std::to_string(finding.place) +
            " x" + std::to_string(finding.count) + " " + finding.what + "\n";
    for (const FindingStep& step : finding.steps)
      text += std::string("  ") + finding_role_text(step.role) + " " + step.object + " " +
              std::to_string(step.event.step) + "\n";
  }
  return text;
}

// The same findings whatever the batches and however often; and every finding is complete.
TEST(Pipeline, DeterministicForAllDetectorsAtOnce) {
  RandomExecution shape;
  shape.events = 60;
  shape.parts = shape.atomics = shape.waits = shape.blocks = shape.memory = true;
  bool some = false;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const TestTrace trace = random_execution(seed, shape);
    const std::string text = everything(trace, 1);
    EXPECT_EQ(text, everything(trace, 1000));
    EXPECT_EQ(text, everything(trace, 7));
    some = some || text.find("race") != std::string::npos;
  }
  EXPECT_TRUE(some);
}

// On however many threads: the findings, their order and their words, what is said of the stream.
TEST(Pipeline, ThreadsMakeNoDifference) {
  RandomExecution shape;
  shape.events = 5000;  // more than one batch
  shape.threads = 6;
  shape.variables = 12;
  shape.parts = shape.atomics = shape.waits = shape.blocks = shape.memory = true;
  bool some = false;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const TestTrace trace = random_execution(seed, shape);
    const std::string text = everything(trace, 100);
    some = some || text.find("race") != std::string::npos;
    for (const std::size_t threads : {2, 3, 7, 100})
      EXPECT_EQ(text, everything(trace, 512, {}, threads)) << threads << " threads, seed " << seed;
  }
  EXPECT_TRUE(some);
}

// A detector says the same alone and beside the others.
TEST(Pipeline, DetectorsDoNotDisturbEachOther) {
  RandomExecution shape;
  shape.blocks = shape.atomics = true;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const TestTrace trace = random_execution(seed, shape);
    const auto findings = [&](std::vector<std::string> detectors) {
      AnalysisOptions options;
      options.detectors = std::move(detectors);
      options.atomic = {true, true, true};
      auto pipeline = Pipeline::make(options);
      trace.feed(**pipeline, 7);
      return (*pipeline)->findings().size();
    };
    std::size_t alone = 0;
    for (const DetectorEntry& entry : detector_registry()) alone += findings({entry.name});
    EXPECT_EQ(findings({}), alone);
  }
}

TEST(Pipeline, FindingsAreCompleteSentences) {
  const TestTrace trace = trace_of(
      "T1 block(b); T1 r(x); T1 w(x); T1 endblock; T2 block(b); T2 r(x); T2 w(x); T2 endblock;"
      "T1 acq(m); T1 acq(n); T1 rel(n); T1 rel(m); T2 acq(n); T2 acq(m); T2 rel(m); T2 rel(n)");
  auto pipeline = Pipeline::make({});
  trace.feed(**pipeline);
  EXPECT_GE((*pipeline)->findings().size(), 4U);
  for (const Finding& finding : (*pipeline)->findings()) {
    EXPECT_FALSE(finding.what.empty());
    EXPECT_FALSE(finding.why.empty());
    EXPECT_FALSE(finding.object.empty());
    EXPECT_NE(finding.place, 0U);
    EXPECT_GE(finding.steps.size(), 2U);
    for (const FindingStep& step : finding.steps) EXPECT_STRNE(finding_role_text(step.role), "");
  }
}

}  // namespace
}  // namespace raddle
