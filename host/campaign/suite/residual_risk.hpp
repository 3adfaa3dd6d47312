// The residual risk of a test: an upper bound of the probability that one more execution shows
// something that no execution so far has shown. docs/residual_risk.md explains it to people.
//
// Good and Turing: of n independent draws from one distribution, the share of those things that
// were seen exactly once estimates the probability of what was not seen at all. Esty (1983) gives
// the variance of the difference: (f1 + 2 f2) / n^2 at most, where f1 things were seen once and f2
// twice. The bound here solves (f1 - m)^2 = z^2 (m + 2 f2) for m, the greater root, which is the
// score interval: it uses the variance that the unknown m would cause, and so also holds where
// nothing was seen once, where Esty's own interval would say 0 (it says z^2 / n then).
//
// It assumes that the executions are independent draws from one distribution: those of one strategy
// of a campaign, whose other parameters do not change, with a new seed each. What executions of
// another strategy, of another input or on another machine would show is not bounded.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace raddle {

// How often things were seen. Keys tell them apart; what they are is the caller's business.
class SeenCounts {
 public:
  void add(std::uint64_t key, std::uint64_t times = 1);
  // Draws that showed something that is not told apart from others: each counts as seen once.
  void add_unkept(std::uint64_t times);

  std::uint64_t draws() const { return draws_; }
  std::uint64_t different() const { return seen_.size() + unkept_; }
  std::uint64_t once() const { return once_ + unkept_; }
  std::uint64_t twice() const { return twice_; }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> seen_;
  std::uint64_t draws_ = 0;
  std::uint64_t once_ = 0;
  std::uint64_t twice_ = 0;
  std::uint64_t unkept_ = 0;
};

// At most 1; 1 if nothing was drawn. Holds with 95 % at least: residual_risk_test.cpp measures it
// on programs whose schedules can be enumerated.
double residual_risk(std::uint64_t draws, std::uint64_t once, std::uint64_t twice);
inline double residual_risk(const SeenCounts& seen) {
  return residual_risk(seen.draws(), seen.once(), seen.twice());
}

}  // namespace raddle
