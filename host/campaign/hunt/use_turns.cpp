#include "host/campaign/hunt/use_turns.hpp"

#include <utility>

namespace raddle {

UseTurns::UseTurns(std::vector<Candidate> uses) {
  for (Candidate& use : uses)
    if (turns_.size() < kMostUses) turns_.push_back({.candidate = std::move(use)});
}

// Each once, then each once more.
std::optional<std::size_t> UseTurns::next() {
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const std::size_t at = next_++ % turns_.size();
    Turn& turn = turns_[at];
    if (turn.done || turn.tried >= kTries) continue;
    ++turn.tried;
    return at;
  }
  return std::nullopt;
}

bool UseTurns::ended(std::size_t number, bool realised, bool fails) {
  if (realised && fails) done(number);
  return realised && !fails && !turns_[number].done;
}

// The same use with other locks around it would show nothing else.
void UseTurns::done(std::size_t number) {
  const std::uint64_t place = turns_[number].candidate.finding.place;
  for (Turn& turn : turns_)
    if (turn.candidate.finding.place == place) turn.done = true;
}

}  // namespace raddle
