// what: one thread logs to an appender while another closes it (Log4J1)
// broken: the logger looks at the appender, and uses it, in two steps
#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>

struct Appender {
  std::atomic<int> lines = 0;
};

Appender file;
std::mutex mutex;
std::atomic<Appender*> appender = &file;

void append() {
#ifndef BROKEN
  const std::lock_guard<std::mutex> lock(mutex);
#endif
  if (appender == nullptr) return;
  Appender* current = appender;
  current->lines++;
}

void close() {
  const std::lock_guard<std::mutex> lock(mutex);
  appender = nullptr;
}

int main() {
  std::thread closer(close);
  append();
  append();
  closer.join();
}
