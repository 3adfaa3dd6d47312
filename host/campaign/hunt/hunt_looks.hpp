// Second looks at executions of a hunt's search: whether what the strategy says it brought about
// really happened, and did harm. Called by the search.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/harm/harm_looks.hpp"
#include "host/campaign/hunt/hunt_state.hpp"

namespace raddle {

inline constexpr std::size_t kNoCandidate = ~std::size_t{0};

// One look: what it is at, and what it showed.
struct HuntLook {
  std::size_t index = kNoCandidate;    // in the result's candidates
  std::optional<std::size_t> use;      // in UseTurns
  std::optional<Candidate> candidate;  // none: any violation that is not among `met`
  std::set<std::uint64_t> met;         // one that comes often is not to hide another
  Execution execution;                 // with its log; of what was confirmed, afterwards
  bool fails = false;
  std::string group;  // of the failure
  // Afterwards:
  std::optional<Confirmation> shown;
  HarmChecked harm;
};

class HuntLooks {
 public:
  explicit HuntLooks(const HuntState& state);

  // Whether to look at an execution in which the strategy says that something came about: on the
  // thread of hunt(), in the order of executions. `sought` is what it had in view; null: nothing.
  bool wants(const HuntFinding* sought, const Execution& execution, bool fails);

  // On any worker's thread.
  void look(Worker& worker, HuntLook& look);

 private:
  HarmChecked harm_of(Worker& worker, HuntLook& look);

  const HuntState& state_;
  HarmLooks harm_looks_;
  std::uint64_t atom_looks_ = 0;
  std::set<std::uint64_t> atom_marks_;  // protocol/atom_marks.hpp
};

}  // namespace raddle
