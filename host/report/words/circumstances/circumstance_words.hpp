// What a failure needs besides its schedule, and how likely that is where the program is used.
#pragma once

#include <string>

#include "protocol/circumstances.hpp"

namespace raddle {

// "a sleep or wait to end while another thread is ready to run, but does not run for up to 10 ms:
// likely on a busy machine". Empty if it needs nothing.
std::string circumstance_words(const Circumstances& needed);

}  // namespace raddle
