// What an explanation is about, where nothing names it. Used by the words of explanations alone.
#pragma once

#include <string>

#include "host/describe/explanation.hpp"

namespace raddle {

// "the condition variable": what the cause is about.
std::string unnamed_words(const Explanation& explanation);

}  // namespace raddle
