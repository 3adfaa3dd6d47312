// What a waiting call throws when its thread was asked to stop.
#pragma once

#include <stdexcept>

namespace components {

struct Interrupted : std::runtime_error {
  Interrupted() : runtime_error("interrupted while it waited") {}
};

}  // namespace components
