// expect: passed
// seeds: 50
// Threads allocate, print and use the C library's own locks while Raddle switches between them.
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

int main() {
  std::mutex lock;
  size_t total = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      std::vector<std::string> strings;
      for (int j = 0; j < 50; ++j) {
        strings.push_back(std::string(static_cast<size_t>(10 + (i * 37 + j * 101) % 2000), 'x'));
        if (j % 10 == 0) {
          std::lock_guard<std::mutex> hold(lock);
          total += strings.size();
          std::printf("thread %d has %zu\n", i, strings.size());
        }
        if (j % 7 == 0) strings.erase(strings.begin());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(total > 0);
}
