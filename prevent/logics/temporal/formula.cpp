#include "prevent/logics/temporal/formula.hpp"

#include <algorithm>

#include "prevent/logics/reading/tokens.hpp"

namespace raddle::logics {
namespace {

constexpr int kDeepest = 500;  // operators inside each other

class Reader {
 public:
  Reader(const Request& request, Time time, Formulas& formulas)
      : events_(request.events),
        tokens_(request.formula, signs(time)),
        time_(time),
        made_(formulas) {
    for (const std::string& event : events_)
      if (is_operator(event))
        throw ReadingError(0, "`" + event + "` is an operator of this logic: rename the event");
  }

  FormulaId read() {
    const FormulaId out = read_iff();
    if (!tokens_.at_end()) tokens_.fail("an operator or the end");
    return out;
  }

 private:
  static std::vector<std::string_view> signs(Time time) {
    std::vector<std::string_view> out{"!",  "&&", "/\\", "^",   "||", "\\/",
                                      "=>", "->", "<=>", "<->", "(",  ")"};
    if (time == Time::future) out.insert(out.end(), {"[]", "<>"});
    if (time == Time::past) out.insert(out.end(), {"[*]", "<*>", "(*)"});
    return out;
  }

  bool is_operator(std::string_view word) const {
    for (const char* both : {"not", "and", "or", "xor", "implies", "iff", "true", "false"})
      if (word == both) return true;
    if (time_ == Time::past) return word == "S";
    return word == "o" || word == "X" || word == "U" || word == "R";
  }

  bool accept_any(std::initializer_list<const char*> texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [this](const char* text) { return tokens_.accept(text); });
  }

  FormulaId iff(FormulaId a, FormulaId b) {
    return made_.disjunction(made_.conjunction(a, b),
                             made_.conjunction(made_.negation(a), made_.negation(b)));
  }

  FormulaId read_iff() {
    FormulaId out = read_implies();
    while (accept_any({"<=>", "<->", "iff"})) out = iff(out, read_implies());
    return out;
  }

  FormulaId read_implies() {
    enter();
    FormulaId out = read_or();
    if (accept_any({"=>", "->", "implies"}))
      out = made_.disjunction(made_.negation(out), read_implies());
    --depth_;
    return out;
  }

  FormulaId read_or() {
    FormulaId out = read_xor();
    while (accept_any({"||", "\\/", "or"})) out = made_.disjunction(out, read_xor());
    return out;
  }

  FormulaId read_xor() {
    FormulaId out = read_and();
    while (accept_any({"^", "xor"})) out = made_.negation(iff(out, read_and()));
    return out;
  }

  FormulaId read_and() {
    FormulaId out = read_binary();
    while (accept_any({"&&", "/\\", "and"})) out = made_.conjunction(out, read_binary());
    return out;
  }

  FormulaId read_binary() {
    enter();
    FormulaId out = read_unary();
    if (time_ == Time::future && tokens_.accept("U")) {
      out = made_.binary(Operator::until, out, read_binary());
    } else if (time_ == Time::future && tokens_.accept("R")) {
      out = made_.binary(Operator::release, out, read_binary());
    } else if (time_ == Time::past && tokens_.accept("S")) {
      out = made_.binary(Operator::since, out, read_binary());
    }
    --depth_;
    return out;
  }

  FormulaId read_unary() {
    enter();
    const FormulaId out = read_unary_inside();
    --depth_;
    return out;
  }

  FormulaId read_unary_inside() {
    if (accept_any({"!", "not"})) return made_.negation(read_unary());
    if (time_ == Time::future) {
      if (tokens_.accept("[]"))
        return made_.binary(Operator::release, made_.constant(false), read_unary());
      if (tokens_.accept("<>"))
        return made_.binary(Operator::until, made_.constant(true), read_unary());
      if (accept_any({"o", "X"})) return made_.unary(Operator::next, read_unary());
    } else {
      if (tokens_.accept("[*]")) return made_.negation(once(made_.negation(read_unary())));
      if (tokens_.accept("<*>")) return once(read_unary());
      if (tokens_.accept("(*)")) return made_.unary(Operator::previous, read_unary());
    }
    return read_atom();
  }

  FormulaId once(FormulaId of) { return made_.binary(Operator::since, made_.constant(true), of); }

  FormulaId read_atom() {
    if (tokens_.accept("(")) {
      const FormulaId out = read_iff();
      tokens_.expect(")", "or an operator");
      return out;
    }
    if (tokens_.accept("true")) return made_.constant(true);
    if (tokens_.accept("false")) return made_.constant(false);
    if (!tokens_.is_word() || is_operator(tokens_.peek().text))
      tokens_.fail("an event, `true`, `false`, `(` or an operator before one");
    return made_.event(event_of(tokens_.take(), events_));
  }

  void enter() {
    if (++depth_ > kDeepest) tokens_.fail("fewer operators inside each other");
  }

  const std::vector<std::string>& events_;
  Tokens tokens_;
  Time time_;
  Formulas& made_;
  int depth_ = 0;
};

}  // namespace

Formulas::Formulas() {
  make({Operator::always_false, 0, 0, 0});
  make({Operator::always_true, 0, 0, 0});
}

FormulaId Formulas::make(const Formula& formula) {
  const auto [at, made] =
      known_.emplace(std::make_tuple(formula.op, formula.event, formula.left, formula.right),
                     FormulaId(formulas_.size()));
  if (made) formulas_.push_back(formula);
  return at->second;
}

FormulaId Formulas::negation(FormulaId of) {
  if (of <= 1) return constant(of == 0);
  if (formulas_[of].op == Operator::negation) return formulas_[of].left;
  return unary(Operator::negation, of);
}

FormulaId Formulas::conjunction(FormulaId left, FormulaId right) {
  if (left == 0 || right == 0) return constant(false);
  if (left == 1 || left == right) return right;
  if (right == 1) return left;
  return binary(Operator::conjunction, std::min(left, right), std::max(left, right));
}

FormulaId Formulas::disjunction(FormulaId left, FormulaId right) {
  if (left == 1 || right == 1) return constant(true);
  if (left == 0 || left == right) return right;
  if (right == 0) return left;
  return binary(Operator::disjunction, std::min(left, right), std::max(left, right));
}

FormulaId read_formula(const Request& request, Time time, Formulas& formulas) {
  return Reader(request, time, formulas).read();
}

}  // namespace raddle::logics
