#include "host/campaign/hunt/hunt_findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/campaign/hunt/hunt_witnesses.hpp"

namespace raddle {
namespace {

HuntFinding finding(FindingLevel level, FindingKind kind, std::uint64_t preemptions) {
  HuntFinding one;
  one.level = level;
  one.finding.kind = kind;
  one.execution.preemptions = preemptions;
  return one;
}

// Certainty before harm, harm before what did none; then the kind, then how little it takes.
TEST(HuntFindings, TheWorstComeFirst) {
  struct Rank {
    FindingLevel level;
    FindingKind kind;
    std::uint64_t preemptions;
  };
  const Rank wanted[] = {{FindingLevel::kFailing, FindingKind::atomic_set, 9},
                         {FindingLevel::kConfirmed, FindingKind::race, 1},
                         {FindingLevel::kConfirmed, FindingKind::race, 2},
                         {FindingLevel::kHarmful, FindingKind::atomic_set, 1},
                         {FindingLevel::kSeen, FindingKind::race, 0},
                         {FindingLevel::kCandidate, FindingKind::race, 0}};
  std::vector<HuntFinding> found;
  for (const Rank& one : wanted)
    found.insert(found.begin(), finding(one.level, one.kind, one.preemptions));
  std::stable_sort(found.begin(), found.end(), comes_first);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].level, wanted[i].level) << i;
    EXPECT_EQ(found[i].finding.kind, wanted[i].kind) << i;
    EXPECT_EQ(found[i].execution.preemptions, wanted[i].preemptions) << i;
  }
}

PredictedFinding race_at(std::uint64_t place) {
  PredictedFinding one;
  one.candidate.key = place;
  one.confirmation.confirmed = true;
  one.confirmation.finding.kind = FindingKind::race;
  one.confirmation.finding.place = place;
  return one;
}

// Each witness is one execution that had its finding in view, whether profiling knew that or not.
TEST(HuntFindings, AWitnessIsOneTry) {
  std::vector<HuntFinding> findings;
  Candidate known;
  known.key = 7;
  known.sought.kind = FindingKind::race;
  findings.push_back(predicted_finding(known, {}));
  findings.shrink_to_fit();  // the next one moves them
  add_witness(findings, race_at(7));
  add_witness(findings, race_at(8));
  add_witness(findings, race_at(9));
  add_witness(findings, race_at(9));
  const std::uint64_t tried[] = {1, 1, 2};
  ASSERT_EQ(findings.size(), std::size(tried));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    EXPECT_EQ(findings[i].key, 7 + i);
    EXPECT_EQ(findings[i].tried, tried[i]) << i;
    EXPECT_EQ(findings[i].realised, tried[i]) << i;
    EXPECT_EQ(findings[i].level, FindingLevel::kConfirmed) << i;
  }
}

TEST(HuntFindings, FailuresThatTakeLessComeFirst) {
  HuntFailure small, large;
  small.minimized = true;
  small.after.preemptions = 1;
  small.group.execution.preemptions = 8;  // before it was minimized
  large.group.execution.preemptions = 2;
  EXPECT_TRUE(is_simpler(small, large));
  EXPECT_FALSE(is_simpler(large, small));
  large.group.explanation.cause = Cause::kLostUpdate;
  EXPECT_TRUE(is_simpler(large, small));
  EXPECT_FALSE(is_simpler(small, large));
}

}  // namespace
}  // namespace raddle
