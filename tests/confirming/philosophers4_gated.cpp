// philosophers4.cpp with a waiter: only one philosopher at a time may ask for both forks. The order
// of the forks is a cycle as before, but it never closes.
#include <mutex>
#include <thread>

namespace {

constexpr int kPhilosophers = 4;
std::mutex forks[kPhilosophers];
std::mutex thoughts[kPhilosophers];  // one for each philosopher
std::mutex waiter;

void think(int self, int times) {
  for (int i = 0; i < times; ++i) std::lock_guard<std::mutex> lock(thoughts[self]);
}

void dine(int self) {
  think(self, 3 * self);
  std::unique_lock<std::mutex> gate(waiter);
  std::lock_guard<std::mutex> left(forks[self]);
  std::lock_guard<std::mutex> right(forks[(self + 1) % kPhilosophers]);
  gate.unlock();
  think(self, 1);
}

}  // namespace

int main() {
  std::thread threads[kPhilosophers];
  for (int i = 0; i < kPhilosophers; ++i) threads[i] = std::thread(dine, i);
  for (std::thread& thread : threads) thread.join();
}
