#include "host/cli/options/duration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

namespace raddle {
namespace {

constexpr double kDay = 24 * 60 * 60;

// Seconds in one unit; 0 if there is no such unit.
double unit_seconds(std::string_view unit) {
  if (unit == "ms") return 1e-3;
  if (unit == "s" || unit.empty()) return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  return 0;
}

}  // namespace

Result<Clock::duration> parse_duration(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const double seconds = value * unit_seconds({rest, static_cast<std::size_t>(end - rest)});
  if (error != std::errc() || !std::isfinite(seconds) || !(seconds > 0) || seconds > kDay) {
    return Error{fmt::format("`{}' is no duration; write 500ms, 10s or 2m (at most 24h)", text)};
  }
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace raddle
