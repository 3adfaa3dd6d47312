// library: Boost.Lockfree
// package: libboost-dev
// headers only
// known: confirmed race, in the free list, as ThreadSanitizer says too
// Several producers and consumers: every item arrives once, and the items of a producer in order.
#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>
#include <vector>

int main() {
  constexpr int kItems = 6;
  boost::lockfree::queue<int> queue(2 * kItems);
  std::atomic<int> left{2 * kItems};
  std::vector<int> got[2];

  const auto produce = [&](int first) {
    for (int i = 0; i < kItems; ++i) assert(queue.push(first + i));
  };
  const auto consume = [&](std::vector<int>& into) {
    int item;
    while (left.load() > 0) {
      if (queue.pop(item)) {
        into.push_back(item);
        --left;
      } else {
        std::this_thread::yield();
      }
    }
  };
  std::thread one(produce, 0), two(produce, 100), three(consume, std::ref(got[0]));
  consume(got[1]);
  one.join();
  two.join();
  three.join();

  int sum = 0;
  for (const std::vector<int>& part : got) {
    int last[2] = {-1, -1};
    for (const int item : part) {
      int& before = last[item >= 100];
      assert(before < item);
      before = item;
      sum += item;
    }
  }
  assert(sum == 15 + 615);
}
