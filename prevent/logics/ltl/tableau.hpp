// An LTL formula as an automaton on infinite traces, and which of its states accept any.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "prevent/logics/temporal/formula.hpp"

namespace raddle::logics {

// States are sets of formulas that hold from now on. To hold, `x U y` takes y now, or x now and
// itself later: then it is postponed. A run accepts if it postpones no formula for ever.
class Tableau {
 public:
  // `formula` or its negation, in a normal form that the constructor makes.
  Tableau(Formulas& formulas, FormulaId formula, bool negated, std::size_t events);

  using States = std::vector<std::uint32_t>;  // ascending

  // Where a trace may be, as far as it can still be continued to an accepted one: none if not.
  States first() const;
  States after(const States& from, EventId event) const;

 private:
  using Set = std::set<FormulaId>;
  struct Edge {
    EventId event;
    std::uint32_t target;
    Set postponed;
  };
  struct Choice {
    Set later;
    Set postponed;
    bool operator<(const Choice& other) const {
      return later != other.later ? later < other.later : postponed < other.postponed;
    }
  };

  FormulaId normal(FormulaId id, bool negated);
  FormulaId normal_made(FormulaId id, bool negated);
  void expand(std::vector<FormulaId> todo, Set seen, Choice choice, EventId event,
              std::set<Choice>& out) const;
  std::uint32_t number(const Set& set);
  void find_accepting();
  std::vector<std::uint32_t> components() const;

  Formulas& formulas_;
  std::map<std::pair<FormulaId, bool>, FormulaId> normals_;
  std::vector<Set> sets_;
  std::map<Set, std::uint32_t> numbers_;
  std::vector<std::vector<Edge>> edges_;  // [state]
  std::vector<bool> accepts_;             // some trace, from this state
  mutable std::size_t work_ = 0;          // choices that were looked at
};

}  // namespace raddle::logics
