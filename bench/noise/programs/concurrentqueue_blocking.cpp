// library: concurrentqueue
// package: libconcurrentqueue-dev
// headers only
// The queue whose consumers wait: each gets items until it gets the end.
#include <concurrentqueue/blockingconcurrentqueue.h>

#include <cassert>
#include <string>
#include <thread>

int main() {
  moodycamel::BlockingConcurrentQueue<std::string> queue;
  std::size_t sizes[2] = {0, 0};
  const auto consume = [&](int which) {
    for (std::string item;;) {
      queue.wait_dequeue(item);
      if (item.empty()) return;
      sizes[which] += item.size();
    }
  };
  std::thread one(consume, 0), two(consume, 1);
  for (std::size_t i = 1; i <= 5; ++i) queue.enqueue(std::string(i, 'x'));
  queue.enqueue("");
  queue.enqueue("");
  one.join();
  two.join();
  assert(sizes[0] + sizes[1] == 15);
}
