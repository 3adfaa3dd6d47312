// ere: an extended regular expression; the letters are events.
//
//   create next* (close | ~(next next))
//
// From what binds closest: `x*` any number of times, `x+` at least once, `x?` at most once; `~x`
// every trace that x does not match; `x y` one after the other; `x & y` both; `x | y` one of them.
// `epsilon` matches the trace without events, `empty` nothing.
//
// Categories: `match`, the trace so far is matched; `fail`, it is not and no events that follow can
// change that; `nonmatch` and `nonfail`.
#include "prevent/logics/ere/expression.hpp"
#include "prevent/logics/logic.hpp"
#include "prevent/logics/reading/tokens.hpp"
#include "prevent/logics/tables/explore.hpp"

namespace raddle::logics {
namespace {

constexpr int kDeepest = 500;  // parentheses and complements inside each other

class Reader {
 public:
  Reader(const Request& request, Expressions& expressions)
      : events_(request.events),
        tokens_(request.formula, {"~", "*", "+", "?", "|", "&", "(", ")"}),
        made_(expressions) {}

  ExpressionId read() {
    const ExpressionId out = read_either();
    if (!tokens_.at_end()) tokens_.fail("an event, an operator or the end");
    return out;
  }

 private:
  ExpressionId read_either() {
    std::vector<ExpressionId> parts{read_both()};
    while (tokens_.accept("|")) parts.push_back(read_both());
    return made_.either(parts);
  }

  ExpressionId read_both() {
    std::vector<ExpressionId> parts{read_sequence()};
    while (tokens_.accept("&")) parts.push_back(read_sequence());
    return made_.both(parts);
  }

  ExpressionId read_sequence() {
    std::vector<ExpressionId> parts{read_complement()};
    while (tokens_.is_word() || tokens_.is("(") || tokens_.is("~"))
      parts.push_back(read_complement());
    ExpressionId out = parts.back();
    for (auto part = parts.rbegin() + 1; part != parts.rend(); ++part)
      out = made_.concatenation(*part, out);
    return out;
  }

  ExpressionId read_complement() {
    bool opposite = false;
    while (tokens_.accept("~")) opposite = !opposite;
    const ExpressionId out = read_repeated();
    return opposite ? made_.complement(out) : out;
  }

  ExpressionId read_repeated() {
    ExpressionId out = read_atom();
    for (;;) {
      if (tokens_.accept("*")) {
        out = made_.star(out);
      } else if (tokens_.accept("+")) {
        out = made_.concatenation(out, made_.star(out));
      } else if (tokens_.accept("?")) {
        out = made_.either({out, made_.epsilon()});
      } else {
        return out;
      }
    }
  }

  ExpressionId read_atom() {
    if (tokens_.is("(")) {
      if (++depth_ > kDeepest) tokens_.fail("fewer parentheses inside each other");
      tokens_.take();
      const ExpressionId out = read_either();
      tokens_.expect(")", "or an operator");
      --depth_;
      return out;
    }
    const Token word = tokens_.expect_word("an event, `epsilon`, `empty`, `~` or `(`");
    if (word.text == "epsilon") return made_.epsilon();
    if (word.text == "empty") return made_.empty();
    return made_.event(event_of(word, events_));
  }

  const std::vector<std::string>& events_;
  Tokens tokens_;
  Expressions& made_;
  int depth_ = 0;
};

Compiled compile(const Request& request) {
  try {
    CompileError wrong = check_categories(request, {"match", "nonmatch", "fail", "nonfail"});
    if (wrong.category >= 0) return wrong;
    Expressions expressions;
    const ExpressionId first = Reader(request, expressions).read();
    std::vector<ExpressionId> states;
    Automaton automaton = explore(
        first, request.events.size(),
        [&](ExpressionId state, EventId event) { return expressions.derivative(state, event); },
        states);
    std::vector<bool> match;
    match.reserve(states.size());
    for (const ExpressionId state : states) match.push_back(expressions.matches_epsilon(state));
    std::vector<bool> fail = reaching(automaton, match);
    fail.flip();
    assign(automaton, request, "match", match);
    assign(automaton, request, "fail", fail);
    return table_program(automaton, request);
  } catch (const ReadingError& error) {
    return error.error;
  } catch (const TooManyStates& error) {
    return CompileError{0, error.what(), -1};
  }
}

}  // namespace

const Logic ere_logic{"ere", "an extended regular expression", "match, nonmatch, fail, nonfail",
                      compile};

}  // namespace raddle::logics
