// what: agents sell the seats of a flight (Airline)
// broken: an agent looks whether sales are closed, and sells the seat, in two steps
// near: -DAGENTS=3 -DSEATS=3 -DCUSTOMERS=2
// large: -DAGENTS=5 -DSEATS=2
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifndef AGENTS
#define AGENTS 3
#endif
#ifndef SEATS
#define SEATS 2
#endif
#ifndef CUSTOMERS
#define CUSTOMERS 1
#endif

std::mutex mutex;
std::atomic<int> sold;
std::atomic<bool> closed;

// To one customer.
void sell() {
#ifndef BROKEN
  const std::lock_guard<std::mutex> lock(mutex);
#endif
  if (closed) return;
  const int now = ++sold;
  if (now == SEATS) closed = true;
}

void serve() {
  for (int i = 0; i < CUSTOMERS; ++i) sell();
}

int main() {
  std::thread agents[AGENTS];
  for (std::thread& agent : agents) agent = std::thread(serve);
  for (std::thread& agent : agents) agent.join();
  assert(sold <= SEATS);
}
