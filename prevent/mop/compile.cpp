#include <algorithm>

#include "prevent/mop/generator.hpp"

namespace raddle::mop {
namespace {

pointcut::ValueKind kind_of(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::object:
      return pointcut::ValueKind::object;
    case Parameter::Kind::integer:
      return pointcut::ValueKind::integer;
    case Parameter::Kind::floating:
      return pointcut::ValueKind::floating;
  }
  return pointcut::ValueKind::object;
}

unsigned value_index(const Event& event, const std::string& name) {
  const std::vector<const Parameter*> values = event.values();
  for (unsigned i = 0; i < values.size(); ++i)
    if (values[i]->name == name) return i;
  return 0;
}

void add_arguments(const Event& event, const Pointcut& pointcut, pointcut::Alternative& out) {
  using From = pointcut::Binding::From;
  out.counts_arguments = true;
  bool behind = false;
  for (unsigned i = 0; i < pointcut.names.size(); ++i) {
    const std::string& name = pointcut.names[i];
    if (name == "..") {
      behind = out.more_arguments = true;
      continue;
    }
    ++out.arguments;
    if (name == "*") continue;
    const unsigned from_end = unsigned(pointcut.names.size()) - 1 - i;
    out.bindings.push_back({behind ? From::argument_from_end : From::argument,
                            behind ? from_end : i, value_index(event, name)});
  }
}

pointcut::Alternative alternative_of(const Event& event, const Case& one, unsigned bit) {
  using From = pointcut::Binding::From;
  pointcut::Alternative out;
  out.bit = bit;
  for (const Literal& literal : one) {
    const Pointcut& pointcut = *literal.primitive;
    switch (pointcut.primitive) {
      case Primitive::call:
      case Primitive::execution:
        out.conditions.push_back(
            {literal.negated, pointcut.primitive == Primitive::execution, pointcut.signature});
        break;
      case Primitive::target:
      case Primitive::self:
        out.bindings.push_back({pointcut.primitive == Primitive::target ? From::target : From::self,
                                0, value_index(event, pointcut.names[0])});
        break;
      case Primitive::args:
        add_arguments(event, pointcut, out);
        break;
      case Primitive::condition:
      case Primitive::thread_name:
      case Primitive::thread_blocked:
      case Primitive::start_thread:
      case Primitive::end_thread:
      case Primitive::end_program:
        break;
    }
  }
  if (event.result)
    out.bindings.push_back({From::result, 0, value_index(event, event.result->name)});
  return out;
}

}  // namespace

Compiled compile(const Specification& file, const Property& property) {
  const logics::Logic* logic = logics::find_logic(property.logic);
  if (logic == nullptr) throw Mistake{property.logic_at, "`" + property.logic + "` is no logic"};
  logics::Request request;
  request.formula = property.formula.text;
  request.enforced = property.enforced;
  for (const Event& event : property.events) request.events.push_back(event.name);
  for (const Handler& handler : property.handlers) request.categories.push_back(handler.category);
  if (request.categories.size() > logics::kMostCategories)
    throw Mistake{property.handlers[logics::kMostCategories].at, "expected fewer handlers"};
  logics::Compiled compiled = logic->compile(request);
  if (const auto* error = std::get_if<logics::CompileError>(&compiled)) {
    const bool category =
        error->category >= 0 && std::size_t(error->category) < property.handlers.size();
    throw Mistake{category ? property.handlers[std::size_t(error->category)].at
                           : property.formula.at + error->at,
                  error->expected};
  }
  return {&file, &property, std::move(std::get<logics::Program>(compiled))};
}

std::string symbol_of(const Property& property, const Event& event) {
  // The length tells where the name of the property ends; the host reads it (property_event.hpp).
  return "raddle_mop_" + std::to_string(property.name.size()) + property.name + "_" + event.name;
}

std::string symbol_of(const Property& property, const Parameter& destroyed) {
  return "raddle_mop_destroyed_" + property.name + "_" + destroyed.name;
}

std::string place_of(const Specification& file, std::size_t at) {
  return file.file + ":" + std::to_string(position_of(file.text, at).line);
}

pointcut::Table table_of(const std::vector<Compiled>& properties) {
  pointcut::Table out;
  for (const Compiled& compiled : properties) {
    const Property& property = *compiled.property;
    for (const Event& event : property.events) {
      if (!event.is_woven()) continue;
      pointcut::TableEvent to;
      to.name = property.name + "." + event.name;
      to.symbol = symbol_of(property, event);
      to.place = place_of(*compiled.file, event.at);
      to.when = pointcut::When(event.when);
      to.may_skip = property.may_skip(event);
      for (const Parameter* value : event.values())
        to.values.push_back({kind_of(*value), value->type});
      for (unsigned i = 0; i < event.cases.size(); ++i)
        to.alternatives.push_back(alternative_of(event, event.cases[i], i));
      out.events.push_back(std::move(to));
    }
    for (const Parameter& parameter : property.parameters)
      if (parameter.kind == Parameter::Kind::object)
        out.classes.push_back({parameter.type, symbol_of(property, parameter)});
  }
  return out;
}

}  // namespace raddle::mop
