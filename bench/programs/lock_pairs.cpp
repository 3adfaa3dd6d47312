// Two threads of six lock/unlock pairs each. bench/inprocess runs it in a process of its own.
#include <mutex>
#include <thread>

int main() {
  static std::mutex mutex;
  const auto pairs = [] {
    for (int i = 0; i < 6; ++i) std::lock_guard lock(mutex);
  };
  std::thread a(pairs);
  std::thread b(pairs);
  a.join();
  b.join();
}
