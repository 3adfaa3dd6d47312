#include "host/campaign/hunt/circumstances.hpp"

#include <algorithm>

#include "protocol/long_timeout.hpp"

namespace raddle {
namespace {

// Executions of each kind before a hunt may be over. Of early time-outs: what one in twenty shows
// is missed by one hunt in twenty (0.95 ^ 60 = 0.046); most show it much more often. Of waits that
// return for nothing: one wait in eight does, and has to come before the signal. What 3 % show is
// missed by one hunt in four hundred (0.97 ^ 200 = 0.002).
constexpr std::uint64_t kEnoughEarly = 60;
constexpr std::uint64_t kEnoughSpurious = 200;
constexpr std::uint64_t kMostEndless = 4;

}  // namespace

Burden burden_of(const Circumstances& met) {
  if (met.none()) return Burden::kNone;
  return met.early_timeouts > 0 && is_long_timeout(met.early_time) ? Burden::kRare
                                                                   : Burden::kPossible;
}

Circumstances beyond(const Plan& asked, Circumstances met) {
  if (asked.clock != ClockKind::kSteady) met.early_timeouts = met.early_time = 0;
  if (asked.spurious_wakeups) met.spurious_wakeups = 0;
  return met;
}

CircumstanceTurns::CircumstanceTurns(const Plan& asked)
    : kinds_{{{.clock = ClockKind::kHasty, .spurious = false},
              {.clock = asked.clock, .spurious = true},
              {.clock = ClockKind::kAdversarial, .spurious = false}}} {
  for (Kind& kind : kinds_)
    kind.wanted = kind.spurious ? !asked.spurious_wakeups : asked.clock == ClockKind::kSteady;
}

void CircumstanceTurns::saw(bool timed, bool conditions) {
  for (Kind& kind : kinds_) kind.of_use = kind.of_use || (kind.spurious ? conditions : timed);
}

bool CircumstanceTurns::Kind::is_open() const { return wanted && of_use && endless < kMostEndless; }

bool CircumstanceTurns::Kind::has_enough() const {
  return tried >= (spurious ? kEnoughSpurious : kEnoughEarly);
}

bool CircumstanceTurns::any() const {
  return std::any_of(kinds_.begin(), kinds_.end(), [](const Kind& kind) { return kind.is_open(); });
}

void CircumstanceTurns::apply(Plan& plan, std::uint64_t expected_length) {
  const bool all_have_enough = settled();
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    Kind& kind = kinds_[next_++ % kinds_.size()];
    if (!kind.is_open() || (!all_have_enough && kind.has_enough())) continue;
    ++kind.tried;
    plan.clock = kind.clock;
    plan.spurious_wakeups = plan.spurious_wakeups || kind.spurious;
    // Whoever polls with a time-out could go on for ever.
    const std::uint64_t enough = 10 * expected_length + 10'000;
    plan.max_steps = plan.max_steps == 0 ? enough : std::min(plan.max_steps, enough);
    return;
  }
}

CircumstanceTurns::Kind* CircumstanceTurns::kind_of(const Plan& plan) {
  const auto same = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
    return kind.wanted && kind.clock == plan.clock && kind.spurious == plan.spurious_wakeups;
  });
  return same != kinds_.end() ? &*same : nullptr;
}

void CircumstanceTurns::ended(const Plan& plan, bool conclusive) {
  if (Kind* kind = kind_of(plan)) kind->endless = conclusive ? 0 : kind->endless + 1;
}

bool CircumstanceTurns::settled() const {
  return std::all_of(kinds_.begin(), kinds_.end(),
                     [](const Kind& kind) { return !kind.is_open() || kind.has_enough(); });
}

}  // namespace raddle
