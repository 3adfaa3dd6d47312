#include "host/campaign/fuzz/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace raddle {

Interval wilson95(std::uint64_t hits, std::uint64_t trials) {
  if (trials == 0) return {};
  constexpr double z = 1.959963984540054;  // 97.5 % quantile of the normal distribution
  const double n = static_cast<double>(trials);
  const double p = static_cast<double>(std::min(hits, trials)) / n;
  const double scale = 1 / (1 + z * z / n);
  const double centre = scale * (p + z * z / (2 * n));
  const double half = scale * z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  // At the ends the exact value is 0 or 1; rounding must not move it inside.
  return {hits == 0 ? 0 : std::max(0.0, centre - half),
          hits >= trials ? 1 : std::min(1.0, centre + half)};
}

}  // namespace raddle
