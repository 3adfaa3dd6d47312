#pragma once

#include "protocol/event.hpp"

namespace raddle {

// "relaxed", "acquire", ...; "unknown order" for a value outside the enumeration.
const char* order_text(MemoryOrder order);

}  // namespace raddle
