// What an exploration shows of enforced properties, in words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/explore/delays/explore_delays.hpp"

namespace raddle {

// An event of a property, as somebody wrote it.
struct NamedEvent {
  std::string property;  // empty: not known
  std::string event;
  std::uint32_t thread = 0;
  std::uint32_t ordinal = 0;  // among the thread's, from 0
  std::string place;
};

// Of `raddle explore --delay-events`.
struct DelayReport {
  EventDelays delays;
  std::vector<NamedEvent> events;  // as in `delays`
  // Whether what the game says of an end counts: it does not if something could still have moved.
  bool timed = false;
};

enum class Enforceable : std::uint8_t { kYes, kNo, kNotKnown };
Enforceable enforceable(const DelayReport& report);

// A sentence, and a line for each event that is held back.
std::string delay_sentence(const DelayReport& report, std::uint64_t failing);
std::vector<std::string> delay_lines(const DelayReport& report);
nlohmann::ordered_json delay_json(const DelayReport& report);

// "Properties A and B hold, and never deadlock, in all schedules."; `where` is "all schedules".
std::string property_sentence(const std::vector<std::string>& properties, const std::string& where);

}  // namespace raddle
