// expect: passed|deadlock
// native: no
// Two threads lock each other out while a third goes on for ever. That is a deadlock too, and
// Raddle reports it although the third thread can move.
#include <mutex>
#include <thread>

std::mutex a, b, c;

int main() {
  std::thread([] {
    for (;;) {
      std::lock_guard<std::mutex> hold(c);
    }
  }).detach();
  std::thread first([] {
    std::lock_guard<std::mutex> hold_a(a);
    std::lock_guard<std::mutex> hold_b(b);
  });
  std::thread second([] {
    std::lock_guard<std::mutex> hold_b(b);
    std::lock_guard<std::mutex> hold_a(a);
  });
  first.join();
  second.join();
}
