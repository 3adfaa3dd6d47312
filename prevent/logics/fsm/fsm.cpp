// fsm: the states of the property, spelled out.
//
//   free [ acquire -> busy ]  busy [ release -> free ]  alias used = busy
//
// The first state is where a monitor begins. An event without a transition leads to `fail`, which
// no event leaves, unless the state says `default STATE`. Transitions may be separated by commas.
// Every state and every alias is a category, beside `fail` and `nonfail`; "non" before a state or
// alias is its opposite.
#include <algorithm>
#include <map>

#include "prevent/logics/logic.hpp"
#include "prevent/logics/reading/tokens.hpp"
#include "prevent/logics/tables/automaton.hpp"

namespace raddle::logics {
namespace {

struct Transition {
  EventId event;
  Token target;
};

struct State {
  std::string name;
  std::size_t at;
  std::vector<Transition> transitions;
  Token otherwise;  // `default`; its kind is `end` if there is none
};

struct Alias {
  std::string name;
  std::vector<Token> states;
};

struct Machine {
  std::vector<State> states;
  std::vector<Alias> aliases;

  // states.size() is `fail`.
  std::uint32_t number(const Token& name) const {
    for (std::size_t i = 0; i < states.size(); ++i)
      if (states[i].name == name.text) return std::uint32_t(i);
    if (name.text == "fail") return std::uint32_t(states.size());
    std::vector<std::string> names;
    names.reserve(states.size());
    for (const State& state : states) names.push_back(state.name);
    throw ReadingError(name.at, "`" + std::string(name.text) + "` is no state; the states are " +
                                    list_of(names) + " and `fail`");
  }
};

class Reader {
 public:
  explicit Reader(const Request& request)
      : events_(request.events), tokens_(request.formula, {"[", "]", "->", ",", "="}) {}

  Machine read() {
    Machine out;
    while (!tokens_.at_end()) {
      const Token name = tokens_.expect_word("the name of a state, or `alias`");
      if (name.text == "alias" && !tokens_.is("[")) {
        out.aliases.push_back(read_alias(out));
      } else {
        out.states.push_back(read_state(name, out));
      }
    }
    if (out.states.empty()) tokens_.fail("a state, like `free [ acquire -> busy ]`");
    return out;
  }

 private:
  static void must_be_new(const Token& name, const Machine& machine) {
    const auto named = [&](const auto& other) { return other.name == name.text; };
    if (name.text == "fail" || name.text == "nonfail")
      throw ReadingError(name.at, "`" + std::string(name.text) + "` is predefined");
    if (std::any_of(machine.states.begin(), machine.states.end(), named) ||
        std::any_of(machine.aliases.begin(), machine.aliases.end(), named))
      throw ReadingError(name.at, "`" + std::string(name.text) + "` is defined twice");
  }

  Alias read_alias(const Machine& machine) {
    const Token name = tokens_.expect_word("the name of the alias");
    must_be_new(name, machine);
    tokens_.expect("=", "after the name of an alias");
    Alias out{std::string(name.text), {}};
    do {
      out.states.push_back(tokens_.expect_word("the name of a state"));
    } while (tokens_.accept(","));
    return out;
  }

  State read_state(const Token& name, const Machine& machine) {
    must_be_new(name, machine);
    State out{std::string(name.text), name.at, {}, {}};
    tokens_.expect("[", "after the name of a state");
    while (!tokens_.accept("]")) {
      read_transition(out);
      tokens_.accept(",");
    }
    return out;
  }

  void read_transition(State& state) {
    const Token word = tokens_.expect_word("an event, `default` or `]`");
    if (word.text == "default" && !tokens_.is("->")) {
      if (state.otherwise.kind != Token::Kind::end)
        throw ReadingError(word.at, "this state has a `default` already");
      state.otherwise = tokens_.expect_word("the state that is the default");
      return;
    }
    const EventId event = event_of(word, events_);
    for (const Transition& other : state.transitions)
      if (other.event == event)
        throw ReadingError(word.at, "`" + std::string(word.text) + "` has two transitions in `" +
                                        state.name + "`");
    tokens_.expect("->", "after an event");
    state.transitions.push_back({event, tokens_.expect_word("the name of a state")});
  }

  const std::vector<std::string>& events_;
  Tokens tokens_;
};

// The states of each category.
std::map<std::string, std::vector<bool>> members(const Machine& machine) {
  const std::size_t fail = machine.states.size();
  std::map<std::string, std::vector<bool>> out;
  const auto group = [&](const std::string& name) -> std::vector<bool>& {
    auto& in = out[name];
    in.resize(fail + 1);
    return in;
  };
  group("fail")[fail] = true;
  for (std::size_t i = 0; i < fail; ++i) group(machine.states[i].name)[i] = true;
  for (const Alias& alias : machine.aliases)
    for (const Token& state : alias.states) group(alias.name)[machine.number(state)] = true;
  std::map<std::string, std::vector<bool>> opposites;
  for (const auto& [name, in] : out) {
    std::vector<bool> not_in = in;
    not_in.flip();
    opposites["non" + name] = std::move(not_in);
  }
  out.merge(opposites);  // a state that is called nonbusy stays what it is
  return out;
}

Automaton automaton_of(const Machine& machine, const Request& request,
                       const std::map<std::string, std::vector<bool>>& members) {
  const std::size_t fail = machine.states.size();
  Automaton out;
  out.events = request.events.size();
  out.next.assign((fail + 1) * out.events, std::uint32_t(fail));
  for (std::size_t i = 0; i < fail; ++i) {
    const State& state = machine.states[i];
    const auto row = out.next.begin() + std::ptrdiff_t(i * out.events);
    if (state.otherwise.kind != Token::Kind::end)
      std::fill_n(row, out.events, machine.number(state.otherwise));
    for (const Transition& transition : state.transitions)
      row[transition.event] = machine.number(transition.target);
  }
  out.categories.resize(fail + 1);
  for (std::size_t state = 0; state <= fail; ++state)
    for (std::size_t i = 0; i < request.categories.size(); ++i)
      if (members.at(request.categories[i])[state]) out.categories[state] |= Categories(1U << i);
  return out;
}

Compiled compile(const Request& request) {
  try {
    const Machine machine = Reader(request).read();
    const auto groups = members(machine);
    std::vector<std::string> known;
    known.reserve(groups.size());
    for (const auto& [name, in] : groups) known.push_back(name);
    CompileError wrong = check_categories(request, known);
    if (wrong.category >= 0) return wrong;
    return table_program(automaton_of(machine, request, groups), request);
  } catch (const ReadingError& error) {
    return error.error;
  }
}

}  // namespace

const Logic fsm_logic{"fsm", "a finite state machine", "fail, nonfail, states and aliases",
                      compile};

}  // namespace raddle::logics
