#include "host/campaign/suite/residual_risk.hpp"

#include <algorithm>
#include <cmath>

namespace raddle {

namespace {

// 97 % of a normal distribution. The two parts in a hundred above the 95 that are promised make up
// for the distribution of f1, which is not normal when it is small.
constexpr double kZ = 1.9;

}  // namespace

void SeenCounts::add(std::uint64_t key, std::uint64_t times) {
  if (times == 0) return;
  draws_ += times;
  std::uint64_t& count = seen_[key];
  once_ -= count == 1;
  twice_ -= count == 2;
  count += times;
  once_ += count == 1;
  twice_ += count == 2;
}

void SeenCounts::add_unkept(std::uint64_t times) {
  draws_ += times;
  unkept_ += times;
}

double residual_risk(std::uint64_t draws, std::uint64_t once, std::uint64_t twice) {
  if (draws == 0) return 1;
  const auto f1 = static_cast<double>(once);
  const auto f2 = static_cast<double>(twice);
  const double bound = f1 + kZ * kZ / 2 + kZ * std::sqrt(f1 + 2 * f2 + kZ * kZ / 4);
  return std::min(1.0, bound / static_cast<double>(draws));
}

}  // namespace raddle
