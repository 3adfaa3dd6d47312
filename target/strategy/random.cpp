#include "target/strategy/random.hpp"

#include <new>

#include "target/strategy/table.hpp"

namespace raddle {

Strategy* make_random(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Random))) Random(plan.seed);
}

}  // namespace raddle
