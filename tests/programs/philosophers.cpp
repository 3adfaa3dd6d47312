// expect: passed|deadlock
// seeds: 500
// cycle: 5
// Five philosophers, each with the left fork first. Natively they almost never starve.
// See philosophers_fixed.cpp.
#include <array>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kSeats = 5;
std::array<std::mutex, kSeats> forks;

void dine(int seat) {
  std::lock_guard<std::mutex> left(forks[seat]);
  std::lock_guard<std::mutex> right(forks[(seat + 1) % kSeats]);
}

int main() {
  std::vector<std::thread> threads;
  for (int seat = 0; seat < kSeats; ++seat) threads.emplace_back(dine, seat);
  for (auto& thread : threads) thread.join();
}
