// Producer and consumer wait on one condition; notify_one may wake the wrong one.
// cause: notify-one
// object: slot.changed
#include <condition_variable>
#include <mutex>
#include <thread>

struct Slot {
  std::mutex mutex;
  std::condition_variable changed;
  bool full = false;

  void tell() {
#ifdef FIXED
    changed.notify_all();
#else
    changed.notify_one();  // [first]
#endif
  }
  void put() {
    std::unique_lock lock(mutex);
    while (full) changed.wait(lock);  // [last]
    full = true;
    tell();
  }
  void take() {
    std::unique_lock lock(mutex);
    while (!full) changed.wait(lock);
    full = false;
    tell();
  }
} slot;

int main() {
  std::thread consumers[2];
  for (std::thread& consumer : consumers) consumer = std::thread([] { slot.take(); });
  std::thread producer([] { slot.put(), slot.put(); });
  for (std::thread& consumer : consumers) consumer.join();
  producer.join();
}
