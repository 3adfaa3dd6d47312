// An automaton from a first state and a function that gives the next ones: all that can be reached.
#pragma once

#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "prevent/logics/tables/automaton.hpp"

namespace raddle::logics {

// The formula has more states than anybody wants to compile.
class TooManyStates : public std::runtime_error {
 public:
  explicit TooManyStates(std::size_t limit)
      : std::runtime_error("this formula needs more than " + std::to_string(limit) + " states") {}
};

constexpr std::size_t kMostExplored = 100'000;  // before the table is made minimal

// State can be compared; after(state, event) is the next one. The states are left in `states`,
// those of the automaton have no categories yet.
template <class State, class After>
Automaton explore(State first, std::size_t events, const After& after, std::vector<State>& states,
                  std::size_t limit = kMostExplored) {
  Automaton out;
  out.events = events;
  std::map<State, std::uint32_t> numbers;
  states.clear();
  states.push_back(first);
  numbers.emplace(std::move(first), 0);
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (std::size_t event = 0; event < events; ++event) {
      State next = after(State(states[i]), EventId(event));
      const auto [at, made] = numbers.emplace(next, std::uint32_t(states.size()));
      if (made) states.push_back(std::move(next));
      if (states.size() > limit) throw TooManyStates(limit);
      out.next.push_back(at->second);
    }
  }
  out.categories.resize(states.size());
  return out;
}

// The states from which a trace leads to one of `goals`; goals themselves among them.
std::vector<bool> reaching(const Automaton& automaton, std::vector<bool> goals);

// Gives state i category `name` and the opposite "non" + name, as far as the request lists them.
void assign(Automaton& automaton, const Request& request, const std::string& name,
            const std::vector<bool>& members);

}  // namespace raddle::logics
