// The experiment of Table 3.2 of Luo's dissertation: 50 threads, half of them append, half add and
// remove appenders; an append waits for 1 ms. Four ways to keep them apart, in turns: none, one
// mutex, a shared mutex, and the property examples/enforce/appenders/appenders.mop, which is woven
// into the calls of class Category.
//
//   appenders [RUNS]   prints milliseconds: way, mean, least, most
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

// A fixed array, so that nothing crashes without synchronisation.
struct Appenders {
  void append() {
    volatile int written = 0;
    for (int i = 0; i < size && i < 64; ++i) written = written + items[i];
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void add(int appender) {
    if (size < 64) items[size++] = appender;
  }
  void remove() {
    if (size > 0) --size;
  }
  volatile int items[64] = {1};
  volatile int size = 1;
};

struct Free {
  void append() { list.append(); }
  void add(int appender) { list.add(appender); }
  void remove() { list.remove(); }
  Appenders list;
};

struct OneMutex {
  void append() {
    const std::lock_guard<std::mutex> guard(mutex);
    list.append();
  }
  void add(int appender) {
    const std::lock_guard<std::mutex> guard(mutex);
    list.add(appender);
  }
  void remove() {
    const std::lock_guard<std::mutex> guard(mutex);
    list.remove();
  }
  Appenders list;
  std::mutex mutex;
};

struct SharedMutex {
  void append() {
    const std::shared_lock<std::shared_mutex> guard(mutex);
    list.append();
  }
  void add(int appender) {
    const std::lock_guard<std::shared_mutex> guard(mutex);
    list.add(appender);
  }
  void remove() {
    const std::lock_guard<std::shared_mutex> guard(mutex);
    list.remove();
  }
  Appenders list;
  std::shared_mutex mutex;
};

struct Category {
  void append() { list.append(); }
  void add(int appender) { list.add(appender); }
  void remove() { list.remove(); }
  Appenders list;
};

constexpr int kThreads = 50;
constexpr int kRounds = 10;

template <class List>
double milliseconds() {
  List list;
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&list, i] {
      for (int round = 0; round < kRounds; ++round) {
        if (i % 2 == 0) {
          list.append();
        } else {
          list.add(i);
          list.remove();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 10;
  std::vector<std::pair<const char*, std::vector<double>>> times = {
      {"no synchronisation", {}}, {"one mutex", {}}, {"std::shared_mutex", {}}, {"enforced", {}}};
  for (int run = 0; run < runs; ++run) {
    times[0].second.push_back(milliseconds<Free>());
    times[1].second.push_back(milliseconds<OneMutex>());
    times[2].second.push_back(milliseconds<SharedMutex>());
    times[3].second.push_back(milliseconds<Category>());
  }
  std::printf("| | mean, ms | least | most |\n|---|---|---|---|\n");
  for (auto& [way, all] : times) {
    std::sort(all.begin(), all.end());
    double sum = 0;
    for (const double one : all) sum += one;
    std::printf("| %s | %.1f | %.1f | %.1f |\n", way, sum / runs, all.front(), all.back());
  }
}
