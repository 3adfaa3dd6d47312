// Who waits at the end of a schedule that leads to a deadlock.
#pragma once

#include <vector>

#include "host/causal/question.hpp"
#include "host/causal/world.hpp"

namespace raddle {

struct StandstillGroup {
  causal::Blocked blocked;
  bool is_cycle = false;  // of locks: others may still be able to move
};

// The schedule is one of known events.
inline StandstillGroup group_after(const causal::Histories& histories,
                                   const std::vector<causal::Move>& schedule,
                                   const causal::Rules& rules) {
  causal::World world(histories);
  for (const causal::Move& move : schedule) world.execute(move);
  StandstillGroup group;
  const auto add = [&](causal::ThreadIndex t) {
    group.blocked.insert({t, histories.node(world.at(t)).next->site});
  };
  const std::vector<causal::ThreadIndex> cycle =
      rules.cycles_end ? world.lock_cycle() : std::vector<causal::ThreadIndex>();
  group.is_cycle = !cycle.empty();
  for (const causal::ThreadIndex t : cycle) add(t);
  for (causal::ThreadIndex t = 0; cycle.empty() && t < histories.threads(); ++t) {
    if (world.is_blocked(t)) add(t);
  }
  return group;
}

}  // namespace raddle
