#include "host/describe/property_event.hpp"

#include <charconv>

namespace raddle {

std::optional<PropertyEvent> property_event(std::string_view function) {
  constexpr std::string_view kPrefix = "raddle_mop_";
  if (!function.starts_with(kPrefix)) return std::nullopt;
  function.remove_prefix(kPrefix.size());
  std::size_t length = 0;
  const auto [end, error] =
      std::from_chars(function.data(), function.data() + function.size(), length);
  if (error != std::errc() || length == 0) return std::nullopt;
  function.remove_prefix(static_cast<std::size_t>(end - function.data()));
  if (function.size() < length + 2 || function[length] != '_') return std::nullopt;
  return PropertyEvent{std::string(function.substr(0, length)),
                       std::string(function.substr(length + 1))};
}

}  // namespace raddle
