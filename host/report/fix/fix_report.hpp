// The result of `raddle fix`: the property that was written.
#pragma once

#include <string>
#include <vector>

#include "host/report/document/document.hpp"
#include "host/report/fix/fix.hpp"

namespace raddle {

// What a replay file shows.
struct FixedFinding {
  std::string replay;
  std::string title;  // "lost update of second.amount_", or how it failed
};

struct FixReport {
  std::string program;
  std::string property;  // path of the specification
  Fix fix;
  std::vector<FixedFinding> findings;
};

// The lines at the top of the specification.
std::vector<std::string> fix_comment(const FixReport& report);

Document document_of(const FixReport& report);

}  // namespace raddle
