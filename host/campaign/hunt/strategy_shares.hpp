// How many turns each of several strategies gets: more for what pays. What pays is an execution
// that shows something that was never seen (host/campaign/feedback/observation.hpp), or a failure.
//
// A bandit without chance: each has a weight, its part of turns that paid as compared with the best
// one's, and whoever had the fewest turns for its weight is next. So the turns follow from what was
// told, in its order, and from nothing else. No weight is less than a half: a strategy that finds
// nothing new today may be the only one that ever finds the failure, and must not be kept from it
// for long. As long as all pay alike they take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace raddle {

class StrategyShares {
 public:
  explicit StrategyShares(std::size_t strategies) : list_(strategies) {}

  // Whose turn it is.
  std::size_t next();
  // What came of a turn.
  void add(std::size_t strategy, bool paid);

  // Between a half and 1.
  double weight(std::size_t strategy) const;

 private:
  struct One {
    double turns = 0;  // weighted: a turn is 1 / weight
    double tried = 0;  // fades, so that what pays no longer is noticed
    double paid = 0;
  };
  static double rate(const One& one) { return (one.paid + 1) / (one.tried + 1); }

  std::vector<One> list_;
};

}  // namespace raddle
