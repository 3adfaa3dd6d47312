// Formulas of ltl and ptltl: the Boolean operators, which both have, and the temporal ones, of
// which each has its own. From what binds closest:
//   ! not                 [] <> o X (ltl)  [*] <*> (*) (ptltl)
//   U R (ltl)  S (ptltl)  to the right: a U b U c is a U (b U c)
//   && and /\             ^ xor
//   || or \/
//   => -> implies         to the right
//   <=> <-> iff
// `true`, `false`, and the names of events: one holds at the moments at which its event happens.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "prevent/logics/logic.hpp"

namespace raddle::logics {

using FormulaId = std::uint32_t;

enum class Operator {
  always_true,
  always_false,
  event,
  negation,
  conjunction,
  disjunction,
  next,      // o x
  until,     // x U y
  release,   // x R y
  previous,  // (*) x
  since      // x S y
};

struct Formula {
  Operator op = Operator::always_true;
  EventId event = 0;
  FormulaId left = 0;
  FormulaId right = 0;
};

// Equal formulas are the same number; parts have smaller numbers than the whole. Constants are
// simplified away.
class Formulas {
 public:
  Formulas();
  const Formula& operator[](FormulaId id) const { return formulas_[id]; }
  std::size_t size() const { return formulas_.size(); }

  FormulaId constant(bool value) const { return value ? 1 : 0; }
  FormulaId event(EventId event) { return make({Operator::event, event, 0, 0}); }
  FormulaId negation(FormulaId of);
  FormulaId conjunction(FormulaId left, FormulaId right);
  FormulaId disjunction(FormulaId left, FormulaId right);
  FormulaId unary(Operator op, FormulaId of) { return make({op, 0, of, 0}); }
  FormulaId binary(Operator op, FormulaId left, FormulaId right) {
    return make({op, 0, left, right});
  }

 private:
  FormulaId make(const Formula& formula);

  std::vector<Formula> formulas_;
  std::map<std::tuple<Operator, EventId, FormulaId, FormulaId>, FormulaId> known_;
};

enum class Time { past, future };

// Throws ReadingError.
FormulaId read_formula(const Request& request, Time time, Formulas& formulas);

}  // namespace raddle::logics
