// Failures of a campaign, as fuzz and explore show them.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "host/campaign/failures/failure_groups.hpp"
#include "host/campaign/failures/misuses.hpp"
#include "host/report/text.hpp"

namespace raddle {

// The first ones in full, the others in a line each. `first` says which execution was the first to
// have it: "first with seed 3".
std::string groups_text(std::span<const FailureGroup> groups, std::uint64_t executions,
                        const std::function<std::string(const FailureGroup&)>& first,
                        const TextOptions& look);

// `first` is the member's name for the number of that execution.
nlohmann::ordered_json group_json(const FailureGroup& group, const char* first);

// That, and why, a replay may have differed; empty if it did not.
std::string not_again_text(const FailureGroup& group, const char* examples, std::size_t width);

// A misuse of a primitive, with its explanation and how to replay it.
std::string misuse_part(std::size_t number, const FoundMisuse& misuse, const TextOptions& look);

nlohmann::ordered_json misuse_json(const FoundMisuse& misuse);

}  // namespace raddle
