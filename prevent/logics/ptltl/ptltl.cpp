// ptltl: a formula about the past, looked at whenever an event happens.
//
//   use => (!close S open)
//
// `(*) x`: x held at the event before this one (there is none before the first, so it is false
// there);
// `<*> x`: x held at this or an earlier event; `[*] x`: at this and all earlier ones; `x S y`: y
// held at this or an earlier event, and x at all later ones. For the rest see temporal/formula.hpp.
//
// Categories: `validation`, the formula holds at the last event; `violation`, it does not;
// `nonvalidation` and `nonviolation`. Before the first event the formula says nothing.
#include "prevent/logics/reading/tokens.hpp"
#include "prevent/logics/tables/explore.hpp"
#include "prevent/logics/temporal/formula.hpp"

namespace raddle::logics {
namespace {

// What of the past decides about the future: the value of each formula at the last event, as far as
// an operator asks for it.
struct Past {
  bool begun = false;
  bool holds = false;         // the whole formula
  std::vector<bool> earlier;  // [formula]; false where nobody asks

  bool operator<(const Past& other) const {
    return std::tie(begun, holds, earlier) < std::tie(other.begun, other.holds, other.earlier);
  }
};

class Evaluator {
 public:
  Evaluator(const Formulas& formulas, FormulaId whole)
      : formulas_(formulas), whole_(whole), asked_(formulas.size()) {
    for (FormulaId id = 0; id < formulas.size(); ++id) {
      if (formulas[id].op == Operator::previous) asked_[formulas[id].left] = true;
      if (formulas[id].op == Operator::since) asked_[id] = true;
    }
  }

  Past first() const { return {false, false, std::vector<bool>(formulas_.size())}; }

  Past after(const Past& past, EventId event) const {
    Past out{true, false, std::vector<bool>(formulas_.size())};
    for (FormulaId id = 0; id < formulas_.size(); ++id)
      out.earlier[id] = value(formulas_[id], past.earlier[id], past, out, event);
    out.holds = out.earlier[whole_];
    for (FormulaId id = 0; id < formulas_.size(); ++id)
      if (!asked_[id]) out.earlier[id] = false;
    return out;
  }

 private:
  static bool value(const Formula& formula, bool before, const Past& past, const Past& now,
                    EventId event) {
    const auto at = [&](FormulaId id) { return bool(now.earlier[id]); };
    switch (formula.op) {
      case Operator::always_true:
        return true;
      case Operator::always_false:
        return false;
      case Operator::event:
        return formula.event == event;
      case Operator::negation:
        return !at(formula.left);
      case Operator::conjunction:
        return at(formula.left) && at(formula.right);
      case Operator::disjunction:
        return at(formula.left) || at(formula.right);
      case Operator::previous:
        return past.earlier[formula.left];
      case Operator::since:
        return at(formula.right) || (at(formula.left) && before);
      case Operator::next:
      case Operator::until:
      case Operator::release:
        break;  // of ltl
    }
    return false;
  }

  const Formulas& formulas_;
  FormulaId whole_;
  std::vector<bool> asked_;
};

Compiled compile(const Request& request) {
  try {
    CompileError wrong =
        check_categories(request, {"validation", "nonvalidation", "violation", "nonviolation"});
    if (wrong.category >= 0) return wrong;
    Formulas formulas;
    const FormulaId whole = read_formula(request, Time::past, formulas);
    const Evaluator evaluator(formulas, whole);
    std::vector<Past> states;
    Automaton automaton = explore(
        evaluator.first(), request.events.size(),
        [&](const Past& past, EventId event) { return evaluator.after(past, event); }, states);
    std::vector<bool> validation;
    validation.reserve(states.size());
    std::vector<bool> violation;
    violation.reserve(states.size());
    for (const Past& state : states) {
      validation.push_back(state.begun && state.holds);
      violation.push_back(state.begun && !state.holds);
    }
    assign(automaton, request, "validation", validation);
    assign(automaton, request, "violation", violation);
    return table_program(automaton, request);
  } catch (const ReadingError& error) {
    return error.error;
  } catch (const TooManyStates& error) {
    return CompileError{0, error.what(), -1};
  }
}

}  // namespace

const Logic ptltl_logic{"ptltl", "past time linear temporal logic",
                        "validation, nonvalidation, violation, nonviolation", compile};

}  // namespace raddle::logics
