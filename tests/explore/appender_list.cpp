// what: one thread calls all appenders of a category while another removes one (Log4J2)
// broken: the caller walks over the list without its lock
// near: -DAPPENDERS=6
// large: -DCALLERS=4
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef APPENDERS
#define APPENDERS 2
#endif
#ifndef CALLERS
#define CALLERS 2
#endif

struct Appender {
  std::atomic<int> lines = 0;
};

Appender all[APPENDERS];
std::mutex mutex;
std::atomic<Appender*> appenders[APPENDERS];
std::atomic<int> count;

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
  for (int i = 0; i < APPENDERS; ++i) appenders[i] = &all[i];
  count = APPENDERS;
  std::thread remover(remove_last);
  std::thread callers[CALLERS];
  for (int i = 1; i < CALLERS; ++i) callers[i] = std::thread(call_appenders);
  call_appenders();
  remover.join();
  for (int i = 1; i < CALLERS; ++i) callers[i].join();
}
