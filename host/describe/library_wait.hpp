// Which object of the C++ library a thread waits for, where all that the runtime sees is a number
// that the library waits for to change. Used by describe() and by explanations.
#pragma once

#include <string>
#include <vector>

#include "host/describe/object_ref.hpp"
#include "host/symbols/frame.hpp"

namespace raddle {

// "std::barrier", "std::latch", "std::counting_semaphore" or "std::future", by the functions of the
// library that the program's innermost function has called; empty if it is none of these.
std::string library_waited_for(const std::vector<Frame>& stack);

// The number that a thread waits by is that of this object; nothing if `library` is empty. A name
// that the library gave it, or that of memory, is none of the object.
void name_library(ObjectRef& number, const std::string& library);

}  // namespace raddle
