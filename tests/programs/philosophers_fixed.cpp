// expect: passed
// seeds: 500
// The fixed twin of philosophers.cpp: the fork with the lower number first.
#include <algorithm>
#include <array>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kSeats = 5;
std::array<std::mutex, kSeats> forks;

void dine(int seat) {
  auto [low, high] = std::minmax({seat, (seat + 1) % kSeats});
  std::lock_guard<std::mutex> first(forks[low]);
  std::lock_guard<std::mutex> second(forks[high]);
}

int main() {
  std::vector<std::thread> threads;
  for (int seat = 0; seat < kSeats; ++seat) threads.emplace_back(dine, seat);
  for (auto& thread : threads) thread.join();
}
