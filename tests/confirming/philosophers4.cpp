// Four philosophers. Each takes the left fork first, and thinks a while before that and before the
// right one: the cycle closes only if all four are caught there. A random schedule hardly ever does
// that.
#include <mutex>
#include <thread>

namespace {

constexpr int kPhilosophers = 4;
std::mutex forks[kPhilosophers];
std::mutex thoughts[kPhilosophers];  // one for each philosopher

void think(int self, int times) {
  for (int i = 0; i < times; ++i) std::lock_guard<std::mutex> lock(thoughts[self]);
}

void dine(int self) {
  think(self, 3 * self);
  std::lock_guard<std::mutex> left(forks[self]);
  std::lock_guard<std::mutex> right(forks[(self + 1) % kPhilosophers]);
  think(self, 1);
}

}  // namespace

int main() {
  std::thread threads[kPhilosophers];
  for (int i = 0; i < kPhilosophers; ++i) threads[i] = std::thread(dine, i);
  for (std::thread& thread : threads) thread.join();
}
