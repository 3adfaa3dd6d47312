// what: one thread calls all appenders of a category while another removes one (Log4J2)
// broken: the caller walks over the list without its lock
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Appender {
  std::atomic<int> lines = 0;
};

Appender one;
Appender two;
std::mutex mutex;
std::atomic<Appender*> appenders[2] = {&one, &two};
std::atomic<int> count = 2;

void call_appenders() {
#ifndef BROKEN
  const std::lock_guard<std::mutex> lock(mutex);
#endif
  for (int i = 0; i < count; ++i) {
    Appender* appender = appenders[i];
    appender->lines++;
  }
}

void remove_last() {
  const std::lock_guard<std::mutex> lock(mutex);
  const int last = count - 1;
  if (last < 0) return;
  appenders[last] = nullptr;
  count = last;
}

int main() {
  std::thread remover(remove_last);
  std::thread caller(call_appenders);
  call_appenders();
  remover.join();
  caller.join();
}
