#include <algorithm>

#include "prevent/mop/syntax.hpp"

namespace raddle::mop {
namespace {

bool binds(Primitive primitive) {
  return primitive == Primitive::target || primitive == Primitive::self ||
         primitive == Primitive::args;
}
bool is_place(Primitive primitive) {
  return primitive == Primitive::call || primitive == Primitive::execution;
}
bool is_moment(Primitive primitive) {
  return primitive == Primitive::start_thread || primitive == Primitive::end_thread ||
         primitive == Primitive::end_program;
}

class EventCheck {
 public:
  EventCheck(const Property& property, const Event& event) : property_(property), event_(event) {}

  void run() {
    for (const Parameter& parameter : event_.parameters) same_as_the_propertys(parameter);
    if (event_.result) same_as_the_propertys(*event_.result);
    for (const Case& one : event_.cases) check_case(one);
    if (property_.may_skip(event_)) check_skip();
  }

 private:
  void same_as_the_propertys(const Parameter& parameter) const {
    for (const Parameter& own : property_.parameters) {
      if (own.name == parameter.name && own.type != parameter.type)
        throw Mistake{parameter.at, "expected the type `" + own.type + "`, which `" + own.name +
                                        "` has in the header of the property"};
    }
    const auto& variables = property_.variable_names;
    if (std::find(variables.begin(), variables.end(), parameter.name) != variables.end())
      throw Mistake{parameter.at, "expected another name: `" + parameter.name +
                                      "` is a variable of the property"};
  }

  void check_case(const Case& one) const {
    std::vector<std::string> bound;
    bool place = false;
    bool moment = false;
    for (const Literal& literal : one) {
      const Pointcut& pointcut = *literal.primitive;
      const Primitive primitive = pointcut.primitive;
      if (literal.negated && (binds(primitive) || is_moment(primitive)))
        throw Mistake{pointcut.at, "expected this without `!`"};
      if (primitive == Primitive::thread_blocked && literal.negated)
        throw Mistake{pointcut.at, "expected threadBlocked(..) without `!`"};
      if (primitive == Primitive::thread_blocked && event_.cases.size() > 1 &&
          !in_every_case(pointcut))
        throw Mistake{pointcut.at,
                      "expected threadBlocked(..) outside `||`: it says how long the event waits"};
      place |= is_place(primitive) && !literal.negated;
      moment |= is_moment(primitive);
      bind(pointcut, bound);
    }
    const Pointcut& first = *one.front().primitive;
    if (place && (moment || !event_.is_woven()))
      throw Mistake{first.at,
                    "expected either call(..) and execution(..), or startThread(), "
                    "endThread() and endProgram()"};
    if (!place && !moment)
      throw Mistake{first.at,
                    "expected call(..) or execution(..) in every alternative: where is the event?"};
    if (moment && (!event_.parameters.empty() || event_.result))
      throw Mistake{event_.at, "expected no parameters: threads and the program have none"};
    for (const Parameter& parameter : event_.parameters) {
      if (std::find(bound.begin(), bound.end(), parameter.name) == bound.end())
        throw Mistake{parameter.at, "expected target(" + parameter.name + "), this(" +
                                        parameter.name + ") or args(" + parameter.name +
                                        ") in every alternative of the event"};
    }
  }

  bool in_every_case(const Pointcut& pointcut) const {
    return std::all_of(event_.cases.begin(), event_.cases.end(), [&](const Case& one) {
      return std::any_of(one.begin(), one.end(),
                         [&](const Literal& literal) { return literal.primitive == &pointcut; });
    });
  }

  void bind(const Pointcut& pointcut, std::vector<std::string>& bound) const {
    for (const std::string& name : pointcut.names) {
      if (name == "*" || name == "..") continue;
      const auto own =
          std::find_if(event_.parameters.begin(), event_.parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == name; });
      if (own == event_.parameters.end())
        throw Mistake{pointcut.code.at,
                      "expected a parameter of the event; `" + name + "` is none"};
      if (std::find(bound.begin(), bound.end(), name) != bound.end())
        throw Mistake{pointcut.code.at,
                      "expected another parameter: `" + name + "` is bound already"};
      if (pointcut.primitive != Primitive::args && own->kind != Parameter::Kind::object)
        throw Mistake{pointcut.code.at, "expected an object: `" + name + "` is a number"};
      bound.push_back(name);
    }
  }

  void check_skip() const {
    for (const Case& one : event_.cases) {
      for (const Literal& literal : one) {
        if (literal.negated || literal.primitive->primitive != Primitive::execution) continue;
        throw Mistake{literal.primitive->at,
                      "expected call(..): __SKIP leaves out a call, and a function that executes "
                      "has been called already"};
      }
    }
  }

  const Property& property_;
  const Event& event_;
};

// Where `__SKIP` stands in a body that has none to skip.
void check_body_skips(const Property& property) {
  for (const Event& event : property.events) {
    if (mentions(event.body.text, "__RESET"))
      throw Mistake{event.body.at, "expected __RESET only in handlers"};
    if (mentions(event.body.text, "__SKIP") &&
        (event.when != Event::When::before || !event.is_woven()))
      throw Mistake{event.body.at, "expected __SKIP only in an event `before` a call"};
  }
  const bool any = std::any_of(property.events.begin(), property.events.end(), [](const Event& e) {
    return e.when == Event::When::before && e.is_woven();
  });
  for (const Handler& handler : property.handlers) {
    if (mentions(handler.body.text, "__SKIP") && !any)
      throw Mistake{handler.body.at,
                    "expected an event `before` a call, which __SKIP can leave out"};
  }
  if (property.deadlock)
    for (const char* word : {"__SKIP", "__RESET", "__LOC"})
      if (mentions(property.deadlock->body.text, word))
        throw Mistake{property.deadlock->body.at, std::string("expected no ") + word +
                                                      " in @deadlock, which belongs to no event"};
}

}  // namespace

std::vector<const Parameter*> Event::values() const {
  std::vector<const Parameter*> out;
  out.reserve(parameters.size() + 1);
  for (const Parameter& parameter : parameters) out.push_back(&parameter);
  if (result) out.push_back(&*result);
  return out;
}

bool Event::is_woven() const {
  return std::none_of(cases.begin(), cases.end(), [](const Case& one) {
    return std::any_of(one.begin(), one.end(), [](const Literal& literal) {
      return is_moment(literal.primitive->primitive);
    });
  });
}

bool Property::may_skip(const Event& event) const {
  if (event.when != Event::When::before || !event.is_woven()) return false;
  if (mentions(event.body.text, "__SKIP")) return true;
  return std::any_of(handlers.begin(), handlers.end(),
                     [](const Handler& handler) { return mentions(handler.body.text, "__SKIP"); });
}

void check(Property& property) {
  if (property.events.empty())
    throw Mistake{property.at, "expected an event in `" + property.name + "`"};
  if (property.logic.empty())
    throw Mistake{property.at,
                  "expected a formula, such as `fsm: ...`, in `" + property.name + "`"};
  if (property.enforced && property.handlers.empty())
    throw Mistake{property.logic_at,
                  "expected a handler such as `@nonfail {}`: it says which states an enforced "
                  "property does not leave"};
  if (property.deadlock && !property.enforced)
    throw Mistake{property.deadlock->at,
                  "expected `enforce` before `" + property.name +
                      "`: a property that makes no thread wait causes no deadlock"};
  for (const Event& event : property.events) {
    const bool blocked = std::any_of(event.cases.begin(), event.cases.end(), [](const Case& one) {
      return std::any_of(one.begin(), one.end(), [](const Literal& literal) {
        return literal.primitive->primitive == Primitive::thread_blocked;
      });
    });
    if (blocked && !property.enforced)
      throw Mistake{event.at, "expected `enforce` before `" + property.name +
                                  "`: without it no thread waits for threadBlocked(..)"};
  }
  for (const Event& event : property.events) EventCheck(property, event).run();
  check_body_skips(property);
}

}  // namespace raddle::mop
