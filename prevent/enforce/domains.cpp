#include "prevent/enforce/domains.hpp"

#include <algorithm>
#include <set>

namespace raddle::enforce {
namespace {

// A creation event makes a monitor with its parameters; any event joins its own to those of
// monitors that are there.
std::set<Mask> possible(const std::vector<ParametricEvent>& events) {
  std::set<Mask> out;
  for (const ParametricEvent& event : events)
    if (event.creation) out.insert(event.parameters);
  for (bool changed = true; changed;) {
    changed = false;
    const std::set<Mask> before = out;
    for (const Mask domain : before)
      for (const ParametricEvent& event : events)
        changed = out.insert(domain | event.parameters).second || changed;
  }
  return out;
}

class Planner {
 public:
  explicit Planner(unsigned parameters) { out_.of_domain.resize(std::size_t(1) << parameters); }

  std::uint32_t index(Mask domain, Mask key) {
    std::vector<std::uint32_t>& known = out_.of_domain[domain];
    for (const std::uint32_t id : known)
      if (out_.indexes[id].key == key) return id;
    out_.indexes.push_back({domain, key});
    known.push_back(std::uint32_t(out_.indexes.size() - 1));
    return known.back();
  }

  Domains plan(const std::vector<ParametricEvent>& events, unsigned parameters) {
    const std::set<Mask> domains = possible(events);
    for (const Mask domain : domains) index(domain, domain);
    for (const ParametricEvent& event : events) {
      EventPlan plan{event.parameters, event.creation, {}, {}, event.creation, false};
      for (const Mask domain : domains) {
        const bool above = (domain & event.parameters) == event.parameters;
        (above ? plan.above : plan.beside).push_back(index(domain, domain & event.parameters));
      }
      plan.simple = domains.size() == 1 && *domains.begin() == event.parameters;
      out_.events.push_back(std::move(plan));
    }
    out_.of_parameter.resize(parameters);
    for (unsigned parameter = 0; parameter < parameters; ++parameter)
      for (const Mask domain : domains)
        if ((domain >> parameter & 1U) != 0)
          out_.of_parameter[parameter].push_back(index(domain, Mask(1) << parameter));
    return std::move(out_);
  }

 private:
  Domains out_;
};

}  // namespace

Domains find_domains(const std::vector<ParametricEvent>& events, unsigned parameters) {
  return Planner(parameters).plan(events, parameters);
}

}  // namespace raddle::enforce
