// expect: passed
// seeds: 10
// Two thousand threads, a few at a time: Raddle gives back the resources of ended threads.
#include <mutex>
#include <thread>

#include "check.h"

int main() {
  std::mutex lock;
  int ran = 0;
  auto body = [&] {
    std::lock_guard<std::mutex> hold(lock);
    ++ran;
  };
  for (int i = 0; i < 1000; ++i) {
    std::thread first(body), second(body);
    first.join();
    second.join();
  }
  CHECK_EQ(ran, 2000);
}
