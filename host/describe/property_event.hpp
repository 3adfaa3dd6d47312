// Events of properties (docs/properties.md) as the symbols of a program name them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace raddle {

struct PropertyEvent {
  std::string property;
  std::string event;
  bool operator==(const PropertyEvent&) const = default;
};

// Of the function that raddle-mop made for it: "raddle_mop_7OneFork_acquire". None: another
// function.
std::optional<PropertyEvent> property_event(std::string_view function);

}  // namespace raddle
