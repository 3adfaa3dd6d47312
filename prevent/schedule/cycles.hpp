// Whether the events of the active schedules can all happen, before any has: a schedule with a
// cycle, or two that contradict each other, are refused.
#pragma once

#include <string>
#include <vector>

#include "prevent/schedule/syntax.hpp"

namespace raddle::schedule {

struct NamedSyntax {
  const Syntax* syntax;
  std::string title;
};

// Empty if all can happen. Otherwise the cycle in words, a line for each step.
std::string find_cycle(const std::vector<NamedSyntax>& schedules);

}  // namespace raddle::schedule
