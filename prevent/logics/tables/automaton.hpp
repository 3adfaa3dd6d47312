// A deterministic automaton on its way to a minimal table: what the finite logics make of their
// formulas.
#pragma once

#include <vector>

#include "prevent/logics/logic.hpp"

namespace raddle::logics {

constexpr std::size_t kMostStates = 65535;

// State 0 is the first one.
struct Automaton {
  std::size_t events = 0;
  std::vector<std::uint32_t> next;     // [state * events + event]
  std::vector<Categories> categories;  // [state]

  std::size_t states() const { return categories.size(); }
};

// States that cannot be reached are gone, and those that no trace tells apart are one. They are
// numbered in the order in which the first of all traces reach them, so equal languages have equal
// tables.
Automaton minimized(const Automaton& automaton);

// What every program begins with. It stays in or out of the categories if the request says so.
Program header_of(Kind kind, const Request& request);

// The program of the minimal table.
Compiled table_program(const Automaton& automaton, const Request& request);

// The number of the first category that `known` does not list, as an error; -1 in `category` of the
// result if all are known and not too many.
CompileError check_categories(const Request& request, const std::vector<std::string>& known);

}  // namespace raddle::logics
