// A step of a finding in words. Called by the printers of findings.
#pragma once

#include <string>

#include "host/describe/finding_story.hpp"

namespace raddle {

// "writes Account::balance_ = 30", "enters Account::withdraw on account".
std::string finding_step_words(const StoryStep& step);

// "in withdraw < transfer": innermost first, without what stands elsewhere: the function that the
// step enters, and the one that the thread is titled by.
std::string inside_words(const StoryStep& step);

// "holds m_, ledger": besides the lock that the step itself acquires. Empty if there is nothing to
// say.
std::string locks_words(const StoryStep& step);

// Why it matters, what the whole execution tells of it, and what would have helped.
std::string why_words(const FindingStory& story);

}  // namespace raddle
