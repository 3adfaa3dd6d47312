#include "prevent/logics/tables/automaton.hpp"

#include <algorithm>
#include <map>

#include "prevent/logics/reading/tokens.hpp"

namespace raddle::logics {
namespace {

// The classes of states, refined until no event tells two of one class apart.
std::vector<std::uint32_t> classes_of(const Automaton& automaton) {
  std::vector<std::uint32_t> out(automaton.categories.begin(), automaton.categories.end());
  for (std::size_t count = 0;;) {
    std::map<std::vector<std::uint32_t>, std::uint32_t> found;
    std::vector<std::uint32_t> refined(out.size());
    for (std::size_t state = 0; state < out.size(); ++state) {
      std::vector<std::uint32_t> key{out[state]};
      for (std::size_t event = 0; event < automaton.events; ++event)
        key.push_back(out[automaton.next[state * automaton.events + event]]);
      refined[state] = found.emplace(std::move(key), std::uint32_t(found.size())).first->second;
    }
    out = std::move(refined);
    if (found.size() == count) return out;
    count = found.size();
  }
}

bool bad_by_name(const std::string& category) {
  return category == "fail" || category == "violation";
}

}  // namespace

Automaton minimized(const Automaton& automaton) {
  const std::vector<std::uint32_t> classes = classes_of(automaton);
  Automaton out;
  out.events = automaton.events;
  std::map<std::uint32_t, std::uint32_t> number;  // of a class, in the order of discovery
  std::vector<std::uint32_t> order{0};            // a state of each
  number[classes[0]] = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.categories.push_back(automaton.categories[order[i]]);
    for (std::size_t event = 0; event < automaton.events; ++event) {
      const std::uint32_t next = automaton.next[order[i] * automaton.events + event];
      const auto [at, made] = number.emplace(classes[next], std::uint32_t(order.size()));
      if (made) order.push_back(next);
      out.next.push_back(at->second);
    }
  }
  return out;
}

Program header_of(Kind kind, const Request& request) {
  Program out(kHeaderSize);
  out[kKind] = kind;
  out[kEvents] = Word(request.events.size());
  out[kCategories] = Word(request.categories.size());
  if (!request.enforced) return out;
  for (std::size_t i = 0; i < request.categories.size(); ++i)
    out[bad_by_name(request.categories[i]) ? kKeptOut : kKeptIn] |= Word(1U << i);
  return out;
}

Compiled table_program(const Automaton& automaton, const Request& request) {
  const Automaton small = minimized(automaton);
  if (small.states() > kMostStates)
    return CompileError{0, "this formula needs more than 65535 states", -1};
  Program out = header_of(kTable, request);
  out.push_back(Word(small.states()));
  out.insert(out.end(), small.next.begin(), small.next.end());
  out.insert(out.end(), small.categories.begin(), small.categories.end());
  return out;
}

CompileError check_categories(const Request& request, const std::vector<std::string>& known) {
  for (std::size_t i = 0; i < request.categories.size(); ++i) {
    const std::string& name = request.categories[i];
    if (std::find(known.begin(), known.end(), name) == known.end())
      return {
          0, "`" + name + "` is no category of this property; its categories are " + list_of(known),
          int(i)};
    if (i >= kMostCategories)
      return {0, "a property can have handlers for at most 16 categories", int(i)};
  }
  return {};
}

}  // namespace raddle::logics
