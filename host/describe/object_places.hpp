// Names for objects of a report that are no global variables: locals by the frame they lie in, heap
// objects by class and place of allocation. Called by Wording.
#pragma once

#include <string>

#include "host/symbols/symbolizer.hpp"
#include "protocol/report.hpp"

namespace raddle {

struct PlacedName {
  std::string text;   // "m in worker", "Account::m_ of #2 of Account from bank.cpp:40"
  std::string brief;  // for a narrow column: "Account::m_ #2@bank.cpp:40"
};

// Both empty if nothing is known. The report is not trusted.
PlacedName placed_name(const Report& report, const ObjectReport& object, Symbolizer& symbols);

}  // namespace raddle
