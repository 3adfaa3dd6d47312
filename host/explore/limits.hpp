// When an exploration with one executor ends before it is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "host/explore/explore.hpp"

namespace raddle {

class ExploreLimits {
 public:
  explicit ExploreLimits(const ExploreOptions& options) : options_(options) {}

  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  // After so many executions. None: go on.
  std::optional<ExploreEnd> reached(std::uint64_t executions) const {
    if (stopped()) return ExploreEnd::kStopped;
    if (options_.limit > 0 && executions >= options_.limit) return ExploreEnd::kLimit;
    if (options_.time.count() > 0 && Clock::now() - begin_ >= options_.time)
      return ExploreEnd::kTime;
    return std::nullopt;
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  const ExploreOptions& options_;
  const Clock::time_point begin_ = Clock::now();
};

}  // namespace raddle
