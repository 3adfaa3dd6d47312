// Properties in tests: compiled, or the test fails.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "prevent/logics/logic.hpp"

namespace raddle::logics {

// A program and the property that runs it.
struct Loaded {
  Program program;
  std::unique_ptr<const Property> property;
};

Loaded load(const std::string& logic, const std::string& formula,
            const std::vector<std::string>& events, const std::vector<std::string>& categories,
            bool enforced = false);

// "12: expected ..."; "" if it compiles.
std::string error_of(const std::string& logic, const std::string& formula,
                     const std::vector<std::string>& events,
                     const std::vector<std::string>& categories = {});

// The categories after the trace, in the order of the request: "nonfail match".
std::string after(const Loaded& loaded, const std::vector<EventId>& trace,
                  const std::vector<std::string>& categories);

// How many random formulas a test compares with the definition: `usual`, or RADDLE_ORACLE_TRACES.
int oracle_count(int usual);

using Random = std::mt19937;
inline unsigned below(Random& random, unsigned bound) { return unsigned(random() % bound); }
std::vector<EventId> random_trace(Random& random, unsigned events, unsigned longest);

}  // namespace raddle::logics
