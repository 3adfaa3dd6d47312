// what: a logger makes its stream at the first use, and closes it (Logger)
// broken: after the check of the lazily initialised field, the logger reads it once more
#include <atomic>
#include <mutex>
#include <thread>

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

int main() {
  std::thread logging(log);
  std::thread closing(close);
  logging.join();
  closing.join();
}
