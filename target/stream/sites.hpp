// Which places and synchronisation objects this execution's stream has told the host of.
#pragma once

#include "protocol/shared_region.hpp"

namespace raddle {

// A new stream: none of them.
void start_sites(EventStream& events);

}  // namespace raddle
