// What threads did and do, in words. Called by the headline and by the printers.
#pragma once

#include <string>

#include "host/describe/failure.hpp"

namespace raddle {

// "lock mutex #1 `m'", "wake from condition variable #2 (timed out)".
std::string step_words(const StepLine& step);
// The same with an object's name alone, where it has one: "lock m".
std::string brief_step_words(const StepLine& step);

// "waits to lock mutex #2 `b'".
std::string waits_words(const Doing& doing);
// The same with an object's name alone, where it has one: "waits to lock b".
std::string brief_waits_words(const Doing& doing);
// "waits to lock mutex #2 `b', held by T1", "was running", "was about to lock mutex #1", "ended".
std::string doing_words(const Doing& doing);

// "T1 holds mutex #1 `a' and at bank.cpp:12 waits to lock mutex #2 `b', held by T2".
std::string cycle_words(const WaitingThread& member);

// "T2 unlocks a mutex that another thread holds: mutex #1 `m' (bank.cpp:12)".
std::string misuse_words(const MisuseLine& misuse);

}  // namespace raddle
