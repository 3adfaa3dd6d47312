// library: concurrentqueue
// package: libconcurrentqueue-dev
// headers only
// Producers with tokens, consumers that take in bulk.
#include <concurrentqueue/concurrentqueue.h>

#include <atomic>
#include <cassert>
#include <thread>

int main() {
  moodycamel::ConcurrentQueue<int> queue;
  std::atomic<int> left{10}, sum{0};
  const auto produce = [&](int first) {
    moodycamel::ProducerToken token(queue);
    for (int i = 0; i < 5; ++i) assert(queue.enqueue(token, first + i));
  };
  const auto consume = [&] {
    int items[4];
    while (left > 0) {
      const std::size_t count = queue.try_dequeue_bulk(items, 4);
      for (std::size_t i = 0; i < count; ++i) sum += items[i];
      left -= static_cast<int>(count);
      if (count == 0) std::this_thread::yield();
    }
  };
  std::thread one(produce, 0), two(produce, 10), three(consume);
  consume();
  one.join();
  two.join();
  three.join();
  assert(sum == 10 + 60);
  assert(queue.size_approx() == 0);
}
