// One cause is one finding: a failing execution, the races and violations that led to it, and the
// same ones in executions that passed are shown once, in every format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/report/results/hunt/hunt_report.hpp"

namespace raddle {

// What a candidate of a hunt is a part of.
struct PartOf {
  enum class Kind { kNothing, kFailure, kCandidate };
  Kind kind = Kind::kNothing;
  std::size_t index = 0;  // of HuntResult::failures or HuntResult::candidates

  bool operator==(const PartOf&) const = default;
};

// The name of the pointer by which the finding's thread came to the memory that it races for; empty
// if nothing is known of it.
std::string pointer_to(const FindingStory& story);
// The name of the atomic variable that would have ordered the race; likewise.
std::string flag_of(const FindingStory& story);

// By candidate. Those that were not confirmed, or not counted, are on their own.
std::vector<PartOf> parts_of(const HuntReport& report);

// By failure: the index of the first one with the same explanation, its own if there is none.
std::vector<std::size_t> first_of_cause(const HuntResult& result);
// By misuse: the failure of the same cause, if there is one.
std::vector<std::optional<std::size_t>> failures_of_misuses(const HuntResult& result);
// For the verdict: it does not take what is rare, or the user wants to hear of that, too.
bool counts(const HuntFailure& failure, const HuntReport& report);
// How many different ones count.
std::size_t failing_causes(const HuntReport& report);

// Of an entry of the JSON object's `findings`, which has failures first, then candidates; from 1.
// 0: of nothing.
std::size_t part_number(const PartOf& part, const HuntResult& result);

}  // namespace raddle
