// Correct, and so slow that a short hunt executes it a few times only.
#include <chrono>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  int number = 0;
  auto add = [&] {
    std::lock_guard<std::mutex> guard(mutex);
    ++number;
  };
  std::thread one(add);
  std::thread two(add);
  one.join();
  two.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  return number == 2 ? 0 : 1;
}
