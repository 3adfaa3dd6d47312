// What the suites of the three test frameworks check: two threads that count, rightly and wrongly.
#pragma once

#include <mutex>
#include <stdexcept>
#include <thread>

inline std::mutex g_mutex;
inline int g_count;

inline void both(void (*f)()) {
  std::thread a(f);
  std::thread b(f);
  a.join();
  b.join();
}

// Returns 2, or 1 if an increment got lost.
inline int racy_count() {
  g_count = 0;
  both([] {
    int seen;
    {
      std::lock_guard<std::mutex> lock(g_mutex);
      seen = g_count;
    }
    std::lock_guard<std::mutex> lock(g_mutex);
    g_count = seen + 1;
  });
  return g_count;
}

inline int right_count() {
  g_count = 0;
  both([] {
    std::lock_guard<std::mutex> lock(g_mutex);
    ++g_count;
  });
  return g_count;
}

inline void deadlock() {
  std::mutex a;
  std::mutex b;
  std::thread x([&] {
    std::lock_guard<std::mutex> first(a);
    std::lock_guard<std::mutex> second(b);
  });
  std::thread y([&] {
    std::lock_guard<std::mutex> first(b);
    std::lock_guard<std::mutex> second(a);
  });
  x.join();
  y.join();
}
