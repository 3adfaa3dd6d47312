// library: oneTBB
// package: libtbb-dev
// link: -ltbb
// A parallel sum and a task group, in an arena of three threads.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cassert>
#include <functional>
#include <numeric>
#include <vector>

int main() {
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                              3);  // however few cores
  tbb::task_arena arena(3);
  std::vector<int> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 1);
  const int sum = arena.execute([&] {
    return tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, numbers.size(), 8), 0,
        [&](const tbb::blocked_range<std::size_t>& range, int so_far) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) so_far += numbers[i];
          return so_far;
        },
        std::plus<int>());
  });
  assert(sum == 64 * 65 / 2);
  std::atomic<int> done{0};
  arena.execute([&] {
    tbb::task_group group;
    for (int i = 0; i < 5; ++i) group.run([&] { ++done; });
    group.wait();
    assert(done == 5);
  });
}
