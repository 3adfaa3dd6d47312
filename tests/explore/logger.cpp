// what: a logger makes its stream at the first use, and closes it (Logger)
// broken: after the check of the lazily initialised field, the logger reads it once more
// near: -DLINES=1
// large: -DLOGGERS=4
#include <atomic>
#include <mutex>
#include <thread>

#ifndef LOGGERS
#define LOGGERS 1
#endif
#ifndef LINES
#define LINES 1
#endif

struct Stream {
  std::atomic<int> lines = 0;
};

Stream stream;
std::mutex mutex;
std::atomic<Stream*> current;

void log() {
#ifndef BROKEN
  const std::lock_guard<std::mutex> lock(mutex);
#endif
  if (current == nullptr) current = &stream;
  Stream* to = current;
  to->lines++;
}

void close() {
#ifndef BROKEN
  const std::lock_guard<std::mutex> lock(mutex);
#endif
  if (current != nullptr) current = nullptr;
}

void write_lines() {
  for (int i = 0; i < LINES; ++i) log();
}

int main() {
  std::thread loggers[LOGGERS];
  for (std::thread& logger : loggers) logger = std::thread(write_lines);
  std::thread closing(close);
  for (std::thread& logger : loggers) logger.join();
  closing.join();
}
