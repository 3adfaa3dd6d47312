#include "prevent/logics/temporal/testing/random_formula.hpp"

#include <algorithm>

namespace raddle::logics {

std::string text_of(const TemporalTree& tree) {
  if (tree.parts.empty()) return tree.op;
  if (tree.parts.size() == 1) return tree.op + " (" + text_of(tree.parts[0]) + ")";
  return "(" + text_of(tree.parts[0]) + ") " + tree.op + " (" + text_of(tree.parts[1]) + ")";
}

TemporalTree random_formula(Random& random, unsigned size, const std::vector<std::string>& unary,
                            const std::vector<std::string>& binary) {
  static const std::vector<std::string> atoms{"a", "b", "a", "b", "a", "b", "true", "false"};
  if (size <= 1) return {atoms[below(random, unsigned(atoms.size()))], {}};
  if (below(random, 2) == 0)
    return {unary[below(random, unsigned(unary.size()))],
            {random_formula(random, size - 1, unary, binary)}};
  const unsigned left = 1 + below(random, size - 1);
  return {binary[below(random, unsigned(binary.size()))],
          {random_formula(random, left, unary, binary),
           random_formula(random, std::max(1U, size - 1 - left), unary, binary)}};
}

}  // namespace raddle::logics
