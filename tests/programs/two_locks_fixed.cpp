// expect: passed
// The fixed twin of two_locks.cpp: both threads take the locks in the same order.
#include <mutex>
#include <thread>

std::mutex a, b;
int shared;

int main() {
  auto body = [] {
    std::lock_guard<std::mutex> hold_a(a);
    std::lock_guard<std::mutex> hold_b(b);
    ++shared;
  };
  std::thread first(body);
  std::thread second(body);
  first.join();
  second.join();
}
