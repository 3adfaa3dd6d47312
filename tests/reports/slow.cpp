// Correct, and as slow as its argument says.
#include <cstdlib>
#include <mutex>
#include <thread>

int main(int, char** arguments) {
  const unsigned long most = std::strtoul(arguments[1], nullptr, 10);
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
  for (volatile unsigned long work = 0; work < most; work = work + 1) {
  }
  return number == 2 ? 0 : 1;
}
