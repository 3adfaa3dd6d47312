// What a failure needs besides its schedule, and how likely that is where the program is used.
#pragma once

#include <string>

#include "protocol/circumstances.hpp"

namespace raddle {

// "a wait to time out 10 ms early while another thread is ready to run: likely on a busy machine".
// Empty if it needs nothing.
std::string circumstance_words(const Circumstances& needed);

}  // namespace raddle
