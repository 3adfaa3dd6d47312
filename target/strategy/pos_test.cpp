#include <gtest/gtest.h>

#include "protocol/dependence.hpp"
#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

// The number of executions, out of `seeds`, in which the only step of thread 0 comes last.
int times_last(const std::vector<Body>& threads, std::uint64_t seeds) {
  int last = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    last += run(make_strategy(plan_for("pos", seed)), threads).back() == 0 ? 1 : 0;
  }
  return last;
}

TEST(Pos, IndependentOperationsKeepTheirPriority) {
  // One step on one object, nine on another. The one keeps its priority, and the nine draw theirs
  // one after the other. So the one comes last if its priority is the lowest of ten: 1/10. (A coin
  // at every step gives 1/512.) 20,000 seeds: 2,000, sigma = sqrt(20000 * 0.1 * 0.9) = 42.4; six
  // are allowed.
  EXPECT_NEAR(times_last({repeated(0, 1, 1), repeated(1, 9, 2)}, 20'000), 2000, 6 * 42.4);
}

TEST(Pos, ConflictingOperationsAreDrawnAnew) {
  // All on one object: both priorities are fresh at every step, so the one comes last in 1/2^9 of
  // the executions. 20,000 seeds: 39, sigma = 6.2; six are allowed.
  EXPECT_NEAR(times_last({repeated(0, 1, 1), repeated(1, 9, 1)}, 20'000), 39, 6 * 6.2);
}

TEST(Pos, ReadersDoNotConflict) {
  std::vector<Body> threads = {repeated(0, 1, 1, OpKind::rwlock_read),
                               repeated(1, 9, 1, OpKind::rwlock_read)};
  EXPECT_NEAR(times_last(threads, 20'000), 2000, 6 * 42.4);
}

TEST(Pos, TwoThatYieldDoNotStarveAThird) {
  // Each yield draws all priorities anew, so the third thread has a chance of 1/3 at every step. It
  // waits for 100 steps with probability (2/3)^100 < 10^-17.
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<Body> threads = {repeated(0, 100, 0, OpKind::yield),
                                 repeated(1, 100, 0, OpKind::yield), repeated(2, 1, 1)};
    std::vector<int> order = run(make_strategy(plan_for("pos", seed)), threads);
    std::size_t position = 0;
    while (order[position] != 2) ++position;
    EXPECT_LT(position, 100U) << "seed " << seed;
  }
}

TEST(Dependent, SameObjectUnlessBothRead) {
  Pending lock = operation(1, OpKind::mutex_lock, 5);
  EXPECT_TRUE(dependent(lock, operation(2, OpKind::mutex_unlock, 5)));
  EXPECT_FALSE(dependent(lock, operation(2, OpKind::mutex_unlock, 6)));
  EXPECT_TRUE(dependent(lock, operation(1, OpKind::sem_post, 6)));  // program order
  Pending read = operation(1, OpKind::rwlock_read, 5);
  EXPECT_FALSE(dependent(read, operation(2, OpKind::rwlock_tryread, 5)));
  EXPECT_TRUE(dependent(read, operation(2, OpKind::rwlock_write, 5)));
  // No object: nothing in common.
  EXPECT_FALSE(dependent(operation(1, OpKind::yield, 0), operation(2, OpKind::sleep, 0)));
}

}  // namespace
}  // namespace raddle
