#include "host/campaign/hunt/strategy_shares.hpp"

#include <algorithm>

namespace raddle {
namespace {

constexpr double kLeastWeight = 0.5;
constexpr double kMemory = 200;  // turns of a strategy that count in full

}  // namespace

std::size_t StrategyShares::next() {
  std::size_t best = 0;
  for (std::size_t i = 1; i < list_.size(); ++i)
    if (list_[i].turns < list_[best].turns) best = i;
  list_[best].turns += 1 / weight(best);
  return best;
}

void StrategyShares::add(std::size_t strategy, bool paid) {
  One& one = list_[strategy];
  if (one.tried >= kMemory) {
    one.tried /= 2;
    one.paid /= 2;
  }
  one.tried += 1;
  if (paid) one.paid += 1;
}

double StrategyShares::weight(std::size_t strategy) const {
  double best = 0;
  for (const One& one : list_) best = std::max(best, rate(one));
  return std::max(kLeastWeight, rate(list_[strategy]) / best);
}

}  // namespace raddle
