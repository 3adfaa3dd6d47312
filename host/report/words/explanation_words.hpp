// An explanation in sentences. Called by its printers.
#pragma once

#include <string>
#include <vector>

#include "host/describe/explanation.hpp"

namespace raddle {

// "check-then-act on account.balance_"; empty for what the failure itself says.
std::string title_words(const Explanation& explanation);
// One sentence: who used what that somebody changed.
std::string summary_words(const Explanation& explanation);
// "balance()  reads balance_ = 100".
std::string explained_step_words(const Explanation& explanation, const ExplainedStep& step);
// What was assumed; which locks were held.
std::vector<std::string> explanation_sentences(const Explanation& explanation);
// What would have made it so; empty if nothing is known.
std::string suggestion_words(const Explanation& explanation);

// The accesses are acquisitions of the object, a lock.
bool of_locks(const Explanation& explanation);
// "account.balance_", "the lock".
std::string explained_object_words(const Explanation& explanation);
// The lock that matters, by its name or by where it was taken.
std::string explained_lock_words(const Explanation& explanation);

}  // namespace raddle
