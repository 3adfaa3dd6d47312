// Test helper: the candidates of an execution that is written as text
// (host/analysis/testing/trace_builder.hpp).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/asset/asset.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {

inline std::vector<AssetCandidate> candidates_of(const std::string& text) {
  const TestTrace trace = trace_of(text);
  Pipeline pipeline(AnalysisOptions{});
  auto owned = std::make_unique<AssetDetector>(pipeline.state());
  AssetDetector& detector = *owned;
  pipeline.add(std::move(owned));
  trace.feed(pipeline);
  return detector.candidates();
}

}  // namespace raddle
