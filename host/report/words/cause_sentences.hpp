// Sentences of single causes: each is true of the execution that the explanation is about. Used by
// the words of causes alone, which choose by Explanation::cause.
#pragma once

#include <string>

#include "host/describe/explanation.hpp"

namespace raddle {

// Lifetimes.
bool of_lifetime(const Explanation& explanation);
std::string object_lifetime(const Explanation& explanation);
std::string destroyed(const Explanation& explanation);
std::string freed_again(const Explanation& explanation);
std::string counted_and_looked(const Explanation& explanation);
std::string freed_while_reading(const Explanation& explanation);
std::string joinable(const Explanation& explanation);

// Semaphores, latches: what is counted.
std::string too_few_posts(const Explanation& explanation);
std::string library_wait(const Explanation& explanation);
std::string made_for_too_few(const Explanation& explanation);
std::string posted_again(const Explanation& explanation);
std::string permit_kept(const Explanation& explanation);
// What the failing thread went past; empty if that is not known.
std::string passed_sentence(const Explanation& explanation);
std::string unreached(const Explanation& explanation);

// Signals; lost_because() is empty where nothing more is known.
std::string lost_signal(const Explanation& explanation);
std::string each_other(const Explanation& explanation);
std::string unwatched_change(const Explanation& explanation);
std::string changed_back(const Explanation& explanation);
std::string missed_at_time_out(const Explanation& explanation);
std::string too_few_woken(const Explanation& explanation);
std::string lost_because(const Explanation& explanation);

// Barriers.
std::string left_barrier(const Explanation& explanation);

// What nobody is left to take.
std::string put_too_late(const Explanation& explanation);

// Futures.
std::string unfulfilled_futures(const Explanation& explanation);

// Orders, and waits that ended too early or too late.
std::string published(const Explanation& explanation);
std::string used_before_init(const Explanation& explanation);
std::string read_too_early(const Explanation& explanation);
std::string late_answer(const Explanation& explanation);
std::string reused_early(const Explanation& explanation);
std::string overtaken(const Explanation& explanation);
std::string read_too_late(const Explanation& explanation);
std::string unchecked(const Explanation& explanation);

// Turning points.
std::string turn_sentences(const Explanation& explanation);

}  // namespace raddle
