// What a replay file says, in the place of a failure's group, of an execution that did not fail but
// shows a confirmed finding. As text:
//
//   confirmed | race | PLACE | PATTERN | PLACES of the steps...        also with atomic-set
//   confirmed | atomicity | STEP | STEP | STEP
//
// Numbers are hexadecimal. `raddle hunt` writes it; `raddle replay` and `raddle minimize` read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/strategies.hpp"

namespace raddle {

struct ConfirmedGroup {
  Confirms what = Confirms::kNothing;
  // kRaces, kAtomicSets: the same in every execution that shows it.
  std::uint64_t place = 0;  // Finding::place
  int pattern = 0;          // kAtomicSets: 1 to 14; else 0
  std::vector<std::uint64_t> places;
  // kAtomicity: three steps of this very execution. Another execution has others, so that it
  // cannot be minimized.
  std::vector<Step> steps;

  bool operator==(const ConfirmedGroup&) const = default;
};

// Empty for what has no such text: a confirmed cycle of locks is a deadlock, and that is a failure.
std::string confirmed_group_text(const ConfirmedGroup& group);

// Nothing if the text, which comes from a file and may be anything, is no such group.
std::optional<ConfirmedGroup> parse_confirmed_group(std::string_view text);

}  // namespace raddle
