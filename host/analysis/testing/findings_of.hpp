// Test helper: what a detector of the registry says of an execution given as text
// (trace_builder.hpp).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {

struct Checked {
  TestTrace trace;
  std::unique_ptr<Pipeline> pipeline;
  const std::vector<Finding>& findings() const { return pipeline->findings(); }
  // "role object (function:line)" of each step of a finding.
  std::vector<std::string> steps(const Finding& finding) const {
    std::vector<std::string> texts;
    for (const FindingStep& step : finding.steps) {
      const Site& site = pipeline->state().site(step.event.site);
      std::string text = "T" + std::to_string(raw(step.event.thread)) + " " +
                         finding_role_text(step.role) + " " + step.object;
      if (!site.frames.empty()) text += " line " + std::to_string(site.frames[0].line);
      texts.push_back(text);
    }
    return texts;
  }
};

inline Checked check(const std::string& detector, std::string_view text,
                     AnalysisOptions options = {}) {
  options.detectors = {detector};
  Checked checked{trace_of(text), nullptr};
  auto pipeline = Pipeline::make(options);
  EXPECT_TRUE(bool(pipeline)) << pipeline.error();
  checked.pipeline = std::move(*pipeline);
  checked.trace.feed(*checked.pipeline);
  EXPECT_TRUE(checked.pipeline->problems().empty())
      << "the test's own trace is malformed: " << checked.pipeline->problems()[0];
  return checked;
}

inline std::size_t count(const std::string& detector, std::string_view text,
                         const AnalysisOptions& options = {}) {
  return check(detector, text, options).findings().size();
}

}  // namespace raddle
