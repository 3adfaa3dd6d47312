// The semaphore that counts the items begins with one, when there is none yet.
// cause: read-too-early
// object: ring[0]
// says: items, which began with 1
// never: wait for that write
#include <atomic>
#include <cassert>
#include <semaphore>
#include <thread>

std::atomic<int> ring[2];

int main() {
#ifdef FIXED
  std::counting_semaphore<2> items(0);
#else
  std::counting_semaphore<2> items(1);
#endif
  std::thread producer([&] {
    for (int i = 0; i < 2; ++i) {
      ring[i].store(7);  // [last]
      items.release();
    }
  });
  std::thread consumer([&] {
    for (std::atomic<int>& slot : ring) {
      items.acquire();
      assert(slot.load() == 7);  // [first]
    }
  });
  producer.join();
  consumer.join();
}
