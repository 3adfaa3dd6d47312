// A dish is put on the counter after the last waiter has seen that the kitchen closes. The guest
// waits for it on a condition variable.
// cause: put-too-late
// object: counter.dishes
// says: hold that until it is put in
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

struct Counter {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<int> dishes;
  bool closing = false;
  int served = 0;
} counter;

void cook() {
  {
    const std::lock_guard lock(counter.mutex);
    if (counter.closing) return;
#ifdef FIXED
    counter.dishes.push_back(1);
    counter.changed.notify_all();
#endif
  }
  std::unique_lock lock(counter.mutex);
#ifndef FIXED
  counter.dishes.push_back(1);  // [first]
  counter.changed.notify_all();
#endif
  counter.changed.wait(lock, [] { return counter.served == 1; });  // [last]
}

void serve() {
  std::unique_lock lock(counter.mutex);
  while (true) {
    counter.changed.wait(lock, [] { return counter.closing || !counter.dishes.empty(); });
    if (counter.dishes.empty()) return;
    counter.dishes.pop_front();
    ++counter.served;
    counter.changed.notify_all();
  }
}

int main() {
  std::thread waiter(serve);
  std::thread chef(cook);
  {
    const std::lock_guard lock(counter.mutex);
    counter.closing = true;
    counter.changed.notify_all();
  }
  waiter.join();
  chef.join();
}
