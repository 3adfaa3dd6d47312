// Which parameters the monitors of a property can have, and where its events look for them. All of
// it follows from the specification, and is worked out once.
#pragma once

#include <cstdint>
#include <vector>

namespace raddle::enforce {

using Mask = std::uint32_t;  // bit i: parameter i

constexpr unsigned kMostParameters = 8;

struct ParametricEvent {
  Mask parameters;
  bool creation;
};

// Monitors of one domain, found by the objects of some of its parameters.
struct Index {
  Mask domain;
  Mask key;
};

struct EventPlan {
  Mask parameters;
  bool creation;
  std::vector<std::uint32_t> above;   // indexes: monitors that have all parameters of the event
  std::vector<std::uint32_t> beside;  // the others, which the event may join to larger ones
  bool makes_own;                     // creation: a monitor with just the event's parameters
  bool simple;  // no monitor has other parameters, so at most one is concerned
};

struct Domains {
  std::vector<Index> indexes;
  std::vector<EventPlan> events;
  // [domain]: its indexes, the one with all parameters as the key first. Empty: no monitor has
  // them.
  std::vector<std::vector<std::uint32_t>> of_domain;
  // [parameter]: indexes for all monitors with an object of that parameter.
  std::vector<std::vector<std::uint32_t>> of_parameter;
};

Domains find_domains(const std::vector<ParametricEvent>& events, unsigned parameters);

}  // namespace raddle::enforce
