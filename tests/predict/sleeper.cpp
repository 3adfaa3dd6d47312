// A sleep is nothing that the causal model has.
#include <chrono>
#include <thread>

int shared;

int main() {
  std::thread other([] { shared = 1; });
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  other.join();
  return 0;
}
