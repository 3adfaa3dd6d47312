// What the detectors say of random executions, whole and with shared accesses only: the same, down
// to the steps of each finding and how often it was met.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/sharing/testing/shared_part.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

std::vector<std::string> findings_of(const TestTrace& trace, const std::string& detector) {
  AnalysisOptions options;
  options.detectors = {detector};
  options.atomic.functions = true;
  auto pipeline = Pipeline::make(options);
  EXPECT_TRUE(bool(pipeline)) << pipeline.error();
  trace.feed(**pipeline);
  std::vector<std::string> texts;
  for (const Finding& finding : (*pipeline)->findings()) {
    std::string text =
        fmt::format("{} {:x} x{}: {}", finding.object, finding.place, finding.count, finding.what);
    for (const FindingStep& step : finding.steps) {
      text += fmt::format("\n  step {} T{} {} {} site {} locks", step.event.step,
                          raw(step.event.thread), finding_role_text(step.role), step.object,
                          raw(step.event.site));
      for (const std::string& lock : step.locks) text += " " + lock;
    }
    texts.push_back(text);
  }
  return texts;
}

class SharedAccessesOracle : public ::testing::Test {
 protected:
  void compare(const TestTrace& whole, std::uint64_t seed) {
    const TestTrace part = shared_part(whole);
    events_ += whole.events.size();
    left_out_ += whole.events.size() - part.events.size();
    for (const DetectorEntry& detector : detector_registry()) {
      const std::vector<std::string> expected = findings_of(whole, detector.name);
      findings_[detector.name] += expected.size();
      EXPECT_EQ(findings_of(part, detector.name), expected)
          << detector.name << ", seed " << seed << "\n"
          << describe(whole) << "\nwith shared accesses only:\n"
          << describe(part);
    }
  }
  void compare_many(const RandomExecution& options) {
    const auto traces = static_cast<std::uint64_t>(oracle_traces());
    for (std::uint64_t seed = 1; seed <= traces && !HasFailure(); ++seed)
      compare(with_whole_words(with_repetitions(random_execution(seed, options), seed)), seed);
  }
  // Otherwise nothing was compared.
  void expect_much(std::initializer_list<const char*> detectors) {
    EXPECT_GT(left_out_, events_ / 100);
    for (const char* detector : detectors)
      EXPECT_GT(findings_[detector], static_cast<std::size_t>(oracle_traces()) / 100) << detector;
  }

 private:
  std::size_t events_ = 0;
  std::size_t left_out_ = 0;
  std::map<std::string, std::size_t> findings_;
};

RandomExecution everything() {
  RandomExecution options;
  options.variables = 8;
  options.threads = 3;
  options.events = 60;
  options.parts = options.atomics = options.waits = options.blocks = options.memory = true;
  return options;
}

TEST_F(SharedAccessesOracle, LocksAndVariables) {
  RandomExecution options;
  options.variables = 8;
  options.threads = 3;
  options.events = 60;
  compare_many(options);
  expect_much({"race", "lockset", "atomizer", "serial"});
}

TEST_F(SharedAccessesOracle, EverythingAtOnce) {
  compare_many(everything());
  expect_much({"race", "lifetime", "lockset", "atomizer", "serial", "atomset"});
}

TEST_F(SharedAccessesOracle, BlocksAndFrees) {
  RandomExecution options = everything();
  options.allocating = true;
  compare_many(options);
  expect_much({"race", "lifetime"});
}

TEST_F(SharedAccessesOracle, Flags) {
  RandomExecution options = everything();
  options.flags = true;
  compare_many(options);
  expect_much({"race"});
}

TEST_F(SharedAccessesOracle, SemaphoresAndShortThreads) {
  RandomExecution options = everything();
  options.semaphores = options.brief = true;
  options.threads = 8;
  compare_many(options);
  expect_much({"race", "atomizer"});
}

// Annotated units on objects, for atomic sets.
TEST_F(SharedAccessesOracle, Units) {
  RandomTraceShape shape;
  shape.variables = 8;
  shape.threads = 3;
  shape.events = 60;
  shape.units = 2;
  shape.long_scopes = true;
  shape.parts = false;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (std::uint64_t seed = 1; seed <= traces && !HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    TestTrace trace;
    trace.events = random_trace(random, shape);
    std::uint32_t sites = 0;
    for (const Event& event : trace.events) sites = std::max(sites, raw(event.site));
    trace.sites.resize(sites);
    for (std::uint32_t i = 0; i < sites; ++i) {
      trace.sites[i].frames.push_back({fmt::format("f{}", i), "random.cpp", 10 + i, 1});
      trace.sites[i].stable = stable_hash(trace.sites[i]);
    }
    compare(with_repetitions(std::move(trace), seed), seed);
  }
  expect_much({"atomset", "serial"});
}

}  // namespace
}  // namespace raddle
