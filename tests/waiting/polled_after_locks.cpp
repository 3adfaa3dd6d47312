// One thread takes and releases locks, then sets a flag. The other polls the flag and never yields.
// A strategy that holds the first one back at a lock keeps the second one waiting, but only for as
// long as it likes.
#include <atomic>
#include <mutex>
#include <thread>

std::mutex first;
std::mutex second;
std::atomic<bool> flag{false};
int work = 0;

__attribute__((noinline)) void take_both() {
  for (int i = 0; i < 2; ++i) {
    {
      const std::lock_guard<std::mutex> lock(first);
      ++work;
    }
    {
      const std::lock_guard<std::mutex> lock(second);
      ++work;
    }
  }
}

int main() {
  std::thread works([] {
    take_both();
    flag = true;
  });
  std::thread polls([] {
    while (!flag) {
    }
  });
  works.join();
  polls.join();
  return 0;
}
