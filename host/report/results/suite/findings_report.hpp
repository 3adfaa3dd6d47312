// The result of `raddle findings`: what a store knows of findings, over campaigns and builds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/campaign/store/finding_history.hpp"
#include "host/report/document/document.hpp"

namespace raddle {

struct ListedFinding {
  FindingHistory history;
  FindingState state = FindingState::kOpen;
  bool is_new = false;  // since the commit; without one, in the last campaign
};

struct FindingsReport {
  std::string store;   // path
  std::string folder;  // that the replay files are in
  std::string since;   // as the user gave it; empty: nothing was
  std::uint64_t campaigns = 0;
  std::vector<ListedFinding> findings;  // by state, then by id
};

Document document_of(const FindingsReport& report);

}  // namespace raddle
