#include "host/campaign/feedback/feedback_rounds.hpp"

namespace raddle {

std::uint64_t FeedbackRounds::round_from(std::uint64_t number) {
  constexpr std::uint64_t kFirst = 4;
  constexpr std::uint64_t kLongest = 64;
  // 4 until 64 have ended, then a sixteenth of those that have.
  std::uint64_t round = kFirst;
  while (round < kLongest && number >= 16 * round) round *= 2;
  return round;
}

bool FeedbackRounds::may_start(std::uint64_t number) {
  if (guides_.empty()) {
    const std::uint64_t round = round_from(ended_);
    for (std::uint64_t i = 0; i < round; ++i)
      guides_.push_back(feedback_.next(strategy_, first_seed_ + ended_ + i));
  }
  return number < ended_ + guides_.size();
}

std::size_t FeedbackRounds::ended(std::span<const StepRecord> log, const Observation& shown) {
  const Guide guide = std::move(guides_.front());
  guides_.pop_front();
  ++ended_;
  return feedback_.ended(guide, log, shown);
}

}  // namespace raddle
