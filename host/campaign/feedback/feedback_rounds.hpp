// Feedback for a campaign whose executions run at the same time and end in any order. Executions
// come in rounds: the plans of a round are made from what all executions of the rounds before it
// showed, in the order of their numbers. So the same campaign has the same plans, however many
// workers there are and whichever is faster. The first rounds are short, because what the first
// executions show says most.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "host/campaign/feedback/feedback.hpp"

namespace raddle {

class FeedbackRounds {
 public:
  // `strategy` is of all executions; number 0 has the seed `first_seed`, the others follow.
  FeedbackRounds(const StrategyEntry& strategy, std::uint64_t first_seed)
      : strategy_(strategy), first_seed_(first_seed), feedback_(first_seed) {}

  // A profile execution, before the first number is asked for.
  void learn(std::span<const StepRecord> log) { feedback_.learn(log); }

  // Executions up to here have plans; they may start.
  bool may_start(std::uint64_t number);
  // Of one that may start and has not ended.
  const Guide& guide_of(std::uint64_t number) const {
    return guides_[static_cast<std::size_t>(number - ended_)];
  }
  // In the order of numbers, each once. How much of it was new.
  std::size_t ended(std::span<const StepRecord> log, const Observation& shown);

  const Feedback& feedback() const { return feedback_; }

  // How many executions the round has that begins with this number.
  static std::uint64_t round_from(std::uint64_t number);

 private:
  const StrategyEntry& strategy_;
  std::uint64_t first_seed_;
  Feedback feedback_;
  std::uint64_t ended_ = 0;
  std::deque<Guide> guides_;  // from number ended_ on, to the end of the round
};

}  // namespace raddle
