// Abstract schedules, as reads-from-guided fuzzing has them (Wolff et al., ASPLOS 2024): a few
// constraints on who sees what. They say nothing of threads, so one constraint is about all threads
// that execute the same code. The strategy `rff` (target/strategy/rff.cpp) tries to fulfil them.
#pragma once

#include <span>
#include <vector>

#include "host/campaign/feedback/observation.hpp"
#include "protocol/aim.hpp"

namespace raddle {

struct Constraint {
  ReadsFrom pair;
  bool positive = true;  // the read is to see that write; else it is to see another
  auto operator<=>(const Constraint&) const = default;
};

using AbstractSchedule = std::vector<Constraint>;

// As many constraints as a schedule may have.
inline constexpr std::size_t kMostConstraints = 4;

// As the plan's aims say constraint number `number`. `rivals`: places that would put something else
// where the read looks.
void add_aims(const Constraint& constraint, std::uint8_t number,
              std::span<const std::uint64_t> rivals, std::vector<AimSite>& aims);

}  // namespace raddle
