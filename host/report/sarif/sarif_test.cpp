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

}  // namespace
}  // namespace raddle
