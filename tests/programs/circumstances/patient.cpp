// Who waits for the others expects them within five seconds: right, unless nobody runs for so long.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex counting;
int counted = 0;  // guarded by counting
std::mutex finishing;
std::condition_variable finished_one;
int finished = 0;  // guarded by finishing

void count() {
  for (int i = 0; i < 6; ++i) {
    const std::lock_guard<std::mutex> lock(counting);
    ++counted;
  }
  const std::lock_guard<std::mutex> lock(finishing);
  ++finished;
  finished_one.notify_one();
}

int main() {
  std::thread one(count);
  std::thread two(count);
  {
    std::unique_lock<std::mutex> lock(finishing);
    const bool in_time =
        finished_one.wait_for(lock, std::chrono::seconds(5), [] { return finished == 2; });
    assert(in_time);
  }
  one.join();
  two.join();
}
