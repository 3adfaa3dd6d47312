// What code scanning asks of a SARIF file beyond its schema.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/report/formats/format.hpp"
#include "host/report/testing/sample_document.hpp"

namespace raddle {
namespace {

nlohmann::json run_of(const Document& document) {
  return nlohmann::json::parse(sarif_format.write(document, TextOptions{}))["runs"][0];
}

TEST(Sarif, ARunWithoutAVerdictWasNotSuccessful) {
  Document document = sample_document();
  for (const auto& [verdict, successful] : {std::pair{DocumentVerdict::kNothingFound, true},
                                            {DocumentVerdict::kFound, true},
                                            {DocumentVerdict::kBadInput, false},
                                            {DocumentVerdict::kInconclusive, false}}) {
    document.verdict = verdict;
    EXPECT_EQ(run_of(document)["invocations"][0]["executionSuccessful"], successful);
  }
}

TEST(Sarif, WhatHasNoLineIsPlacedInTheProgram) {
  Document document = sample_document();
  document.program = "/home/you/bank/build/bank test";
  DocumentFinding& finding = document.findings[0];
  finding.where = {"", 0, "withdraw"};
  for (DocumentStep& step : finding.execution.steps) step.where = {};
  const nlohmann::json result = run_of(document)["results"][0];
  const nlohmann::json expected = {
      {"artifactLocation", {{"uri", "build/bank%20test"}, {"uriBaseId", "SRCROOT"}}},
      {"region", {{"startLine", 1}}}};
  EXPECT_EQ(result["locations"][0]["physicalLocation"], expected);
  EXPECT_EQ(result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "withdraw");
  std::size_t steps = 0;
  for (const nlohmann::json& flow : result["codeFlows"][0]["threadFlows"]) {
    for (const nlohmann::json& step : flow["locations"]) {
      ++steps;
      EXPECT_EQ(step["location"]["physicalLocation"], expected);
    }
  }
  EXPECT_EQ(steps, finding.execution.steps.size());

  document.program = "/usr/bin/bank";
  EXPECT_EQ(run_of(document)["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"],
            (nlohmann::json{{"uri", "file:///usr/bin/bank"}}));
}

}  // namespace
}  // namespace raddle
