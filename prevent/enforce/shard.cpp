#include "prevent/enforce/shard.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace raddle::enforce {
namespace {

std::string at(const Arrival& arrival) {
  return arrival.location == nullptr ? "" : std::string(" at ") + arrival.location;
}

}  // namespace

void end_program(const Specification& specification, const char* report) {
  std::fprintf(stderr, "raddle: property %s (%s:%u): %s\n", specification.name, specification.file,
               specification.line, report);
  std::fflush(stderr);
  std::abort();
}

Shard::Shard(const Specification& specification, const logics::Property& logic,
             const Domains& domains)
    : specification_(specification),
      logic_(logic),
      monitors_(logic, domains, specification.parameter_count,
                {specification.variables_size, specification.make, specification.copy,
                 specification.destroy}) {}

bool Shard::may(const Arrival& arrival) {
  const EventInfo& info = specification_.events[arrival.event];
  return monitors_.look(arrival.event, arrival.objects, [&](StateId state, const void* variables) {
    return !counts(info, variables, arrival.context) || logic_.may(state, arrival.event);
  });
}

const char* Shard::blocked(const Arrival& arrival) {
  const EventInfo& info = specification_.events[arrival.event];
  const char* out = nullptr;
  if (info.blocked == nullptr) return out;
  monitors_.look(arrival.event, arrival.objects, [&](StateId, const void* variables) {
    if (counts(info, variables, arrival.context)) out = info.blocked(variables, arrival.context);
    return out == nullptr;
  });
  return out;
}

// Code of the specification that throws would leave monitors half changed.
template <class Code>
void Shard::guarded(const Arrival& arrival, const Code& code) {
  const char* name = specification_.events[arrival.event].name;
  try {
    code();
  } catch (const std::exception& error) {
    const std::string text =
        std::string("the code of `") + name + "` threw an exception" + at(arrival) + ": ";
    end_program(specification_, (text + error.what()).c_str());
  } catch (...) {
    const std::string text = std::string("the code of `") + name + "` threw an exception";
    end_program(specification_, (text + at(arrival)).c_str());
  }
}

void Shard::commit(Arrival& arrival) {
  const EventInfo& info = specification_.events[arrival.event];
  guarded(arrival, [&] {
    monitors_.happens(
        arrival.event, arrival.objects,
        [&](const void* variables) { return counts(info, variables, arrival.context); },
        [&](Monitor& monitor) { step(monitor, arrival); });
  });
}

bool Shard::commit_if_it_may(Arrival& arrival) {
  Monitor* only = monitors_.only(arrival.event, arrival.objects);
  if (only == nullptr) {
    if (!may(arrival)) return false;
    commit(arrival);
    return true;
  }
  const EventInfo& info = specification_.events[arrival.event];
  if (!counts(info, monitors_.variables(*only), arrival.context)) return true;
  if (!logic_.may(only->state, arrival.event)) return false;
  guarded(arrival, [&] { step(*only, arrival); });
  return true;
}

void Shard::step(Monitor& monitor, Arrival& arrival) {
  const EventInfo& info = specification_.events[arrival.event];
  void* variables = monitors_.variables(monitor);
  if (!counts(info, variables, arrival.context)) return;
  if (info.body != nullptr) info.body(variables, arrival.context);
  const StateId next = logic_.after(monitor.state, arrival.event);
  logic_.release(monitor.state);
  monitor.state = next;
  const logics::Categories categories = logic_.categories(next);
  if (logic_.overran(next)) {
    const std::string text = std::string("rewriting takes more steps after `") + info.name + "`" +
                             at(arrival) +
                             " than its #bound allows, and the specification does not say what "
                             "that means: #bound N -> #fail .";
    end_program(specification_, text.c_str());
  }
  for (unsigned category = 0; category < specification_.category_count; ++category)
    if ((categories >> category & 1U) != 0 && specification_.handlers[category] != nullptr)
      handle(monitor, arrival, category);
}

void Shard::handle(Monitor& monitor, Arrival& arrival, unsigned category) {
  Handling handling{monitors_.variables(monitor), arrival.context,
                    arrival.location == nullptr ? "" : arrival.location};
  specification_.handlers[category](handling);
  arrival.skip = arrival.skip || handling.skip;
  if (!handling.reset) return;
  const StateId start = logic_.start();
  logic_.release(monitor.state);
  monitor.state = start;
}

}  // namespace raddle::enforce
