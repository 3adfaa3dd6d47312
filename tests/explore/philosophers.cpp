// what: three philosophers, each with the fork on the left and on the right
// broken: every philosopher takes the left one first
#include <mutex>
#include <thread>
#include <utility>

constexpr int kPhilosophers = 3;
std::mutex forks[kPhilosophers];

void dine(int me) {
  int first = me;
  int second = (me + 1) % kPhilosophers;
#ifndef BROKEN
  if (first > second) std::swap(first, second);
#endif
  const std::lock_guard<std::mutex> one(forks[first]);
  const std::lock_guard<std::mutex> two(forks[second]);
}

int main() {
  std::thread one(dine, 0);
  std::thread two(dine, 1);
  dine(2);
  one.join();
  two.join();
}
