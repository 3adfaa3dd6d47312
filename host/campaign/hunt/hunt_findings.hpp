// What a hunt does with one of its findings: how it begins, how its level rises, and which come
// first in attempts and in the report. Called by hunt(), which guards them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/hunt/hunt.hpp"

namespace raddle {

// One that was predicted. `known`: what an earlier hunt knew; its tries count.
HuntFinding predicted_finding(const Candidate& candidate, std::span<const KnownCandidate> known);

// One that was met without being predicted: the same as one that was seen before, or a new one at
// the end of the list, which no execution has had in view.
HuntFinding& met_finding(std::vector<HuntFinding>& findings, const Finding& finding);

// It was confirmed in this execution, with this harm if it rests on an inference. Nothing happens
// if more is known of it than that.
void raise_level(HuntFinding& one, const Confirmation& confirmation, const Harm& harm,
                 Execution execution, const std::string& group);

// Executions that look for harm, of one finding: each may interleave other instances of its units.
inline constexpr std::uint64_t kMostHarmLooks = 5;

// Whether one more execution in which it came about is worth a replay under its detector.
bool wants_look(const HuntFinding& one, bool fails);

// By level, the failing ones first; then by kind, as everywhere (FindingKindEntry::rank), and by
// how few preemptions it takes.
bool comes_first(const HuntFinding& a, const HuntFinding& b);
// Has a cause, and not just facts, or takes fewer preemptions, as far as minimizing came.
bool is_simpler(const HuntFailure& a, const HuntFailure& b);

}  // namespace raddle
