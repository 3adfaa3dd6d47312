// What a campaign noticed besides its failures, in words. Called by the reports of campaigns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/campaign/failures/failure_groups.hpp"

namespace raddle {

struct NoteLine {
  std::string text;
  std::uint64_t count = 0;
  std::uint64_t first_seed = 0;
};

// Notes that read alike are one.
std::vector<NoteLine> note_lines(const std::vector<VerdictNote>& notes);
std::vector<NoteLine> note_lines(const std::vector<MisuseNote>& notes);

// "the same choices passed"; empty if nothing differed.
std::string difference_words(const ReplayDifference& difference);

}  // namespace raddle
