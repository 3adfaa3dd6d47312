// what: one thread logs to an appender while another closes it (Log4J1)
// broken: the logger looks at the appender, and uses it, in two steps
// near: -DPARTS=100
// large: -DLOGGERS=2 -DLINES=3
#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>

#ifndef LOGGERS
#define LOGGERS 1
#endif
#ifndef LINES
#define LINES 2
#endif
#ifndef PARTS
#define PARTS 1
#endif

struct Appender {
  std::atomic<int> parts[PARTS] = {};  // of lines: how many were written
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
  for (std::atomic<int>& part : current->parts) part++;
}

void close() {
  const std::lock_guard<std::mutex> lock(mutex);
  appender = nullptr;
}

void log() {
  for (int i = 0; i < LINES; ++i) append();
}

int main() {
  std::thread closer(close);
  std::thread loggers[LOGGERS];
  for (int i = 1; i < LOGGERS; ++i) loggers[i] = std::thread(log);
  log();
  for (int i = 1; i < LOGGERS; ++i) loggers[i].join();
  closer.join();
}
