// What a game's answers (event_game.hpp) come to: which events are held back, and until when.
#pragma once

#include <cstdint>
#include <vector>

#include "host/explore/delays/event_game.hpp"

namespace raddle {

struct HeldEvent {
  std::uint32_t event = 0;  // as in the offers
  // It goes exactly when all of these have happened: as few as say so. None, and `listed`: no such
  // rule fits the answers.
  std::vector<std::uint32_t> until;
  bool never = false;   // it never goes
  bool listed = false;  // `after` alone says when it is held back
  std::vector<std::vector<std::uint32_t>>
      after;  // the events before, each time that it is held back
};

// In the order of their threads' events. Events that always go are left out.
std::vector<HeldEvent> held_events(const std::vector<Offer>& offers);

}  // namespace raddle
