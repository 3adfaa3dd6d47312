// What the store has of a finding: the key by which it is known in other campaigns, and its words.
#pragma once

#include "host/campaign/hunt/hunt.hpp"
#include "host/campaign/store/store.hpp"

namespace raddle {

// Without a replay file, which whoever saves it names.
StoredFinding stored_finding(const HuntFinding& one);
StoredFinding stored_finding(const Failure& failure, std::uint64_t times);
StoredFinding stored_finding(const FoundMisuse& one);

}  // namespace raddle
