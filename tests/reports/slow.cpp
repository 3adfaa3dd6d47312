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
  // Each multiplication waits for the one before; how fast a processor counts in memory depends on
  // more than its speed.
  unsigned long work = 1;
  for (unsigned long i = 0; i < most; ++i) work = work * 6364136223846793005UL + i;
  const volatile unsigned long result = work;
  return number == 2 && result != 1 ? 0 : 1;
}
