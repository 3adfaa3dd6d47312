// The life of a finding over campaigns and builds: open, fixed, back again. Plain functions of what
// the store holds.
//
// A finding that a campaign does not show may be fixed, or the campaign did not meet it. So it
// counts as fixed only if campaigns on other builds than the one that showed it last had so many
// executions that they would have shown it with a probability of 95 % at least, had it still come
// as often as it did: (1 - rate) ^ executions <= 0.05. That assumes that executions are drawn as
// before; docs/store.md says so to people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/campaign/store/store.hpp"

namespace raddle {

// A campaign that executed the finding's test, on one build.
struct FindingLook {
  std::int64_t campaign = 0;
  std::int64_t build = 0;
  std::uint64_t executions = 0;
  std::uint64_t times = 0;  // of these that showed it
};

enum class FindingState : std::uint8_t { kUnknown, kOpen, kFixed, kBack };
const char* finding_state_text(FindingState state);

// After the campaigns up to this one; `looks` in the order of campaigns. kUnknown: not seen by
// then.
FindingState state_after(const std::vector<FindingLook>& looks, std::int64_t campaign);

// What is missing until it counts as fixed: executions of another build; 0 if it is fixed.
std::uint64_t executions_until_fixed(const std::vector<FindingLook>& looks);

struct FindingHistory {
  std::int64_t id = 0;
  std::string test;
  std::string kind;
  std::string level;
  std::string message;
  std::string key;
  std::string replay;  // of the latest sighting that has one, relative to the store's folder
  std::vector<FindingLook> looks;
  std::int64_t first = 0;  // campaign that showed it first
  std::int64_t last = 0;
  std::string first_commit;
  std::string last_commit;
};

// Of every finding, by its id.
std::vector<FindingHistory> finding_histories(Store& store);

// Campaigns with their commits, in order.
struct CampaignCommit {
  std::int64_t campaign = 0;
  std::string commit;
};
std::vector<CampaignCommit> campaign_commits(Store& store);

}  // namespace raddle
