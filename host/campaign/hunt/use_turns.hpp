// Uses that could come after a free (Candidates::uses), and how often a hunt has tried to bring
// each about. Nobody hears of one unless it did: most cannot. So each gets a few executions, and
// none after the detector, or a failure, has shown it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/campaign/confirm/candidates.hpp"

namespace raddle {

class UseTurns {
 public:
  // The strategy holds back each use that comes in one half of executions.
  static constexpr std::uint32_t kTries = 6;
  static constexpr std::size_t kMostUses = 50;

  explicit UseTurns(std::vector<Candidate> uses);

  // Whose turn it is; none: all have had theirs.
  std::optional<std::size_t> next();
  const Candidate& candidate(std::size_t number) const { return turns_[number].candidate; }

  // An execution of it has ended. Whether the detector is to look at it.
  bool ended(std::size_t number, bool realised, bool fails);
  // The detector saw it.
  void shown(std::size_t number) { done(number); }

 private:
  struct Turn {
    Candidate candidate;
    std::uint32_t tried = 0;
    bool done = false;
  };
  void done(std::size_t number);

  std::vector<Turn> turns_;
  std::size_t next_ = 0;
};

}  // namespace raddle
