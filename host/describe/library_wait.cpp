#include "host/describe/library_wait.hpp"

#include <array>
#include <string_view>

namespace raddle {
namespace {

struct Known {
  std::string_view prefix;
  const char* object;
};

constexpr std::array kKnown = {
    Known{"std::barrier", "std::barrier"},
    Known{"std::latch", "std::latch"},
    Known{"std::counting_semaphore", "std::counting_semaphore"},
    Known{"std::__atomic_semaphore", "std::counting_semaphore"},
    Known{"std::future", "std::future"},
    Known{"std::shared_future", "std::future"},
    Known{"std::__basic_future", "std::future"},
    Known{"std::__future_base::_State_baseV2::wait", "std::future"},
};

}  // namespace

std::string library_waited_for(const std::vector<Frame>& stack) {
  for (const Frame& frame : stack) {
    if (frame.in_program) break;
    for (const Known& known : kKnown)
      if (frame.where.function.starts_with(known.prefix)) return known.object;
  }
  return {};
}

void name_library(ObjectRef& number, const std::string& library) {
  if (library.empty()) return;
  number.library = library;
  const bool own = number.name.path.starts_with("std::");
  if (own || number.name.kind == ObjectName::Kind::kBlock) number.name = {};
  number.first_used = {};
}

}  // namespace raddle
