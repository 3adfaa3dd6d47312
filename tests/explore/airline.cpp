// what: agents sell the seats of a flight (Airline)
// broken: an agent looks whether sales are closed, and sells the seat, in two steps
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

constexpr int kSeats = 2;
std::mutex mutex;
std::atomic<int> sold;
std::atomic<bool> closed;

void sell() {
#ifndef BROKEN
  const std::lock_guard<std::mutex> lock(mutex);
#endif
  if (closed) return;
  const int now = ++sold;
  if (now == kSeats) closed = true;
}

int main() {
  std::thread agents[3];
  for (std::thread& agent : agents) agent = std::thread(sell);
  for (std::thread& agent : agents) agent.join();
  assert(sold <= kSeats);
}
