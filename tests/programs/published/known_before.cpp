// Both threads know the ticket from the start. That one of them also loads a pointer to it is not
// how it got there.
#include <atomic>
#include <cstdio>
#include <thread>

struct Ticket {
  int seat = 0;
};

std::atomic<Ticket*> latest{nullptr};

struct Desk {
  Ticket* ticket;
};

int main() {
  Desk* desk = new Desk{new Ticket};
  std::thread sells([desk] {
    desk->ticket->seat = 3;
    latest.store(desk->ticket, std::memory_order_relaxed);
  });
  std::thread looks([desk] {
    Ticket* mine = desk->ticket;
    if (latest.load(std::memory_order_relaxed) != nullptr && mine->seat > 5) std::puts("sold out");
  });
  sells.join();
  looks.join();
  delete desk->ticket;
  delete desk;
}
