// Thousands of small random programs: what one explorer reaches, all reach.
#include <fmt/format.h>

#include "explore/paper_search.hpp"

namespace raddle::paper {
namespace {

Body random_body(Generator& generator, int length) {
  Body body;
  const auto below = [&](int n) { return static_cast<int>(generator.below(std::uint64_t(n))); };
  while (length > 0) {
    switch (below(13)) {
      case 0:
        body.push_back({Code::kStore, below(2), 1 + below(3)});
        break;
      case 1:
        body.push_back({Code::kLoad, below(2)});
        break;
      case 2:
        body.push_back({Code::kAdd, below(2), 1});
        break;
      case 3:
        body.insert(body.end(), {{Code::kLoad, 0}, {Code::kStoreSum, 0, 1}});
        --length;
        break;
      case 4: {
        const int m = below(2);
        body.insert(body.end(),
                    {{Code::kLock, m}, {Code::kStore, below(2), below(4)}, {Code::kUnlock, m}});
        length -= 2;
        break;
      }
      case 5: {
        const int m = below(2);
        body.insert(body.end(), {{Code::kTryLock, m, 2}, {Code::kAdd, 1, 2}, {Code::kUnlock, m}});
        length -= 2;
        break;
      }
      case 6: {
        const int m = below(2);  // nested, in either order
        body.insert(
            body.end(),
            {{Code::kLock, m}, {Code::kLock, 1 - m}, {Code::kUnlock, 1 - m}, {Code::kUnlock, m}});
        length -= 3;
        break;
      }
      case 7:
        body.insert(body.end(), {{Code::kLock, 0}, {Code::kWait, 0, 0}, {Code::kUnlock, 0}});
        length -= 3;
        break;
      case 8:
        body.push_back({below(2) == 0 ? Code::kSignal : Code::kBroadcast, 0});
        break;
      case 9:
        body.push_back({below(2) == 0 ? Code::kPost : Code::kDown, 0});
        break;
      case 10:
        body.insert(body.end(),
                    {{Code::kLoad, 0}, {Code::kSkipUnless, 1, 1}, {Code::kStore, 1, 9}});
        --length;
        break;
      case 11:
        body.insert(body.end(), {{Code::kLoad, below(2)}, {Code::kFailIf, 3}});
        break;
      case 12:
        body.insert(body.end(), {{below(2) == 0 ? Code::kReadLock : Code::kWriteLock, 0},
                                 {Code::kAdd, 0, 1},
                                 {Code::kRwUnlock, 0}});
        length -= 2;
        break;
      default:
        break;
    }
    --length;
  }
  return body;
}

Program random_program(std::uint64_t seed) {
  Generator generator(seed);
  Program program;
  const int threads = 2 + static_cast<int>(generator.below(3));
  const int length = threads == 2 ? 4 : threads == 3 ? 3 : 2;
  for (int t = 0; t < threads; ++t) program.threads.push_back(random_body(generator, length));
  program.semaphores = {static_cast<int>(generator.below(2))};
  return program;
}

constexpr std::uint64_t kLargest = 1500;  // schedules of a program that is worth the time

class Programs : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Random, Programs, testing::Range(0, 10));

TEST_P(Programs, AllExplorersReachTheSame) {
  std::uint64_t classes = 0;
  std::uint64_t reduced = 0;
  std::uint64_t redundant = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const Program program = random_program(seed * 10 + static_cast<std::uint64_t>(GetParam()));
    const Reached dfs = explore(program, SearchOrder::kDfs, true, kLargest);
    if (dfs.counts.executions == kLargest) continue;
    ASSERT_TRUE(dfs.complete);
    const std::string what = fmt::format("seed {}, part {}", seed, GetParam());
    for (const SearchOrder order : {SearchOrder::kBfs, SearchOrder::kIcb}) {
      const Reached other = explore(program, order);
      ASSERT_TRUE(other.complete) << what;
      ASSERT_EQ(other.counts.executions, dfs.counts.executions) << what;
      ASSERT_EQ(other.counts.by_preemptions, dfs.counts.by_preemptions) << what;
      ASSERT_EQ(other.states, dfs.states) << what;
      ASSERT_EQ(other.failures, dfs.failures) << what;
    }
    const Reached dpor = explore(program, SearchOrder::kDpor, true);
    ASSERT_TRUE(dpor.complete) << what;
    ASSERT_EQ(dpor.states, dfs.states) << what;
    ASSERT_EQ(dpor.failures, dfs.failures) << what;
    // Each class that is not cut off by a failure, and each once.
    ASSERT_EQ(dpor.classes.size(), dfs.classes.size()) << what;
    for (const auto& [name, times] : dpor.classes) {
      ASSERT_EQ(times, 1) << what;
      ASSERT_TRUE(dfs.classes.contains(name)) << what;
    }
    all += dfs.counts.executions;
    classes += dfs.classes.size();
    reduced += dpor.counts.executions - dpor.counts.redundant;
    redundant += dpor.counts.redundant;
  }
  RecordProperty("classes", std::to_string(classes));
  fmt::print("{} schedules, {} classes: dpor executes {} and {} redundant ones\n", all, classes,
             reduced, redundant);
  // What fails is executed more often than once per class, and some executions are redundant.
  EXPECT_GE(reduced, classes);
  EXPECT_LT(double(reduced + redundant), 1.25 * double(classes));
}

}  // namespace
}  // namespace raddle::paper
