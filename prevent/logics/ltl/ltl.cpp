// ltl: a formula about the whole trace, from its first event on, which goes on for ever.
//
//   [](hasnext => o next)
//
// `o x` (or X): x holds at the next event; `<> x`: at this or a later one; `[] x`: at this and all
// later ones; `x U y`: y at this or a later one, and x until then; `x R y`: y up to and including
// the first event at which x holds, or for ever. For the rest see temporal/formula.hpp.
//
// Categories: `violation`, no continuation of the trace satisfies the formula; `validation`, all
// do; `nonviolation` and `nonvalidation`. A formula that needs the whole infinite trace, like []<>
// a, has neither after any trace.
#include "prevent/logics/ltl/tableau.hpp"
#include "prevent/logics/reading/tokens.hpp"
#include "prevent/logics/tables/explore.hpp"

namespace raddle::logics {
namespace {

struct Verdict {
  Tableau::States holds;    // where the formula's automaton may be
  Tableau::States refuted;  // and that of its negation
  bool operator<(const Verdict& other) const {
    return std::tie(holds, refuted) < std::tie(other.holds, other.refuted);
  }
};

Compiled compile(const Request& request) {
  try {
    CompileError wrong =
        check_categories(request, {"violation", "nonviolation", "validation", "nonvalidation"});
    if (wrong.category >= 0) return wrong;
    Formulas formulas;
    const FormulaId whole = read_formula(request, Time::future, formulas);
    const Tableau formula(formulas, whole, false, request.events.size());
    const Tableau negation(formulas, whole, true, request.events.size());
    std::vector<Verdict> states;
    Automaton automaton = explore(
        Verdict{formula.first(), negation.first()}, request.events.size(),
        [&](const Verdict& from, EventId event) {
          return Verdict{formula.after(from.holds, event), negation.after(from.refuted, event)};
        },
        states);
    std::vector<bool> violation;
    violation.reserve(states.size());
    std::vector<bool> validation;
    validation.reserve(states.size());
    for (const Verdict& state : states) {
      violation.push_back(state.holds.empty());
      validation.push_back(state.refuted.empty());
    }
    assign(automaton, request, "violation", violation);
    assign(automaton, request, "validation", validation);
    return table_program(automaton, request);
  } catch (const ReadingError& error) {
    return error.error;
  } catch (const TooManyStates& error) {
    return CompileError{0, error.what(), -1};
  }
}

}  // namespace

const Logic ltl_logic{"ltl", "linear temporal logic",
                      "violation, nonviolation, validation, nonvalidation", compile};

}  // namespace raddle::logics
