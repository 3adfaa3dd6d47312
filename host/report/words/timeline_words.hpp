// An event of a timeline in words. Called where documents are made.
#pragma once

#include <string>

#include "host/describe/timeline/timeline.hpp"

namespace raddle {

// "locks account.mutex_", "reads balance_ = 100", "creates T2".
std::string timeline_words(const TimelineEvent& event);

}  // namespace raddle
