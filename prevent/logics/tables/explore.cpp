#include "prevent/logics/tables/explore.hpp"

namespace raddle::logics {

std::vector<bool> reaching(const Automaton& automaton, std::vector<bool> goals) {
  std::vector<std::vector<std::uint32_t>> before(automaton.states());
  for (std::size_t i = 0; i < automaton.next.size(); ++i)
    before[automaton.next[i]].push_back(std::uint32_t(i / automaton.events));
  std::vector<std::uint32_t> todo;
  for (std::size_t state = 0; state < goals.size(); ++state)
    if (goals[state]) todo.push_back(std::uint32_t(state));
  while (!todo.empty()) {
    const std::uint32_t state = todo.back();
    todo.pop_back();
    for (const std::uint32_t other : before[state]) {
      if (goals[other]) continue;
      goals[other] = true;
      todo.push_back(other);
    }
  }
  return goals;
}

void assign(Automaton& automaton, const Request& request, const std::string& name,
            const std::vector<bool>& members) {
  for (std::size_t i = 0; i < request.categories.size(); ++i) {
    const bool same = request.categories[i] == name;
    const bool opposite = request.categories[i] == "non" + name;
    if (!same && !opposite) continue;
    for (std::size_t state = 0; state < automaton.states(); ++state)
      if (members[state] == same) automaton.categories[state] |= Categories(1U << i);
  }
}

}  // namespace raddle::logics
