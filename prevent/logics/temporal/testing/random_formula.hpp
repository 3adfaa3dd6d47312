// Random temporal formulas for tests, as trees that the definitions walk and as text that the
// compilers read.
#pragma once

#include <string>
#include <vector>

#include "prevent/logics/testing/compile.hpp"

namespace raddle::logics {

struct TemporalTree {
  std::string op;  // an event, "true", "false", or an operator
  std::vector<TemporalTree> parts;
};

std::string text_of(const TemporalTree& tree);

// Over the events "a" and "b", with at most `size` operators and events.
TemporalTree random_formula(Random& random, unsigned size, const std::vector<std::string>& unary,
                            const std::vector<std::string>& binary);

}  // namespace raddle::logics
