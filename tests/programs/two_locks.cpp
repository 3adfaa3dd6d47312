// expect: passed|deadlock
// cycle: 2
// Two threads take two locks in different orders. See two_locks_fixed.cpp.
#include <mutex>
#include <thread>

std::mutex a, b;
int shared;

int main() {
  std::thread first([] {
    std::lock_guard<std::mutex> hold_a(a);
    std::lock_guard<std::mutex> hold_b(b);
    ++shared;
  });
  std::thread second([] {
    std::lock_guard<std::mutex> hold_b(b);
    std::lock_guard<std::mutex> hold_a(a);
    ++shared;
  });
  first.join();
  second.join();
}
