// expect: passed
// seeds: 30
// A thread spins on an atomic and never synchronises: Raddle must preempt it for the other to run.
#include <atomic>
#include <thread>

std::atomic<bool> ready{false};
std::atomic<int> steps{0};

int main() {
  std::thread spinner([] {
    while (!ready.load(std::memory_order_acquire)) {
    }
    steps = 1;
  });
  std::thread setter([] { ready.store(true, std::memory_order_release); });
  setter.join();
  while (steps.load() == 0) {
  }
  spinner.join();
}
