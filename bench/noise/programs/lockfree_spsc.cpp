// library: Boost.Lockfree
// package: libboost-dev
// headers only
// known: confirmed race, in the free list, as ThreadSanitizer says too
// A ring of four places between one producer and one consumer, and a stack that all threads push
// to.
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <string>
#include <thread>

int main() {
  boost::lockfree::spsc_queue<std::string, boost::lockfree::capacity<4>> ring;
  boost::lockfree::stack<int> stack(8);

  std::thread producer([&] {
    for (int i = 0; i < 10; ++i)
      while (!ring.push(std::to_string(i))) std::this_thread::yield();
    assert(stack.push(1));
  });
  std::thread consumer([&] {
    std::string item;
    for (int i = 0; i < 10; ++i) {
      while (!ring.pop(item)) std::this_thread::yield();
      assert(item == std::to_string(i));
    }
    assert(stack.push(2));
  });
  assert(stack.push(4));
  producer.join();
  consumer.join();
  int sum = 0;
  stack.consume_all([&](int value) { sum += value; });
  assert(sum == 7);
}
