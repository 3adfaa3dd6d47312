// An atomic counter, increased by a load and a store.
// cause: lost-update
// object: next_ticket
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> next_ticket{0};

int draw() {
#ifdef FIXED
  return next_ticket.fetch_add(1);
#else
  const int ticket = next_ticket.load();  // [first]
  next_ticket.store(ticket + 1);          // [last]
  return ticket;
#endif
}

int main() {
  int tickets[2];
  std::thread other([&] { tickets[1] = draw(); });
  tickets[0] = draw();
  other.join();
  assert(tickets[0] != tickets[1]);
}
