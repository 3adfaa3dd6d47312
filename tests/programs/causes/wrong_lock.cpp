// One of three functions holds another mutex than the others do.
// cause: lost-update
// object: inventory.stock
// says: take inventory.stock_mutex as well where inventory.orders_mutex is taken
// never: take inventory.orders_mutex
#include <cassert>
#include <mutex>
#include <thread>

struct Inventory {
  std::mutex stock_mutex;
  std::mutex orders_mutex;
  int stock = 10;
} inventory;

void receive(int pieces) {
  const std::lock_guard lock(inventory.stock_mutex);
  inventory.stock += pieces;  // [first] [last]
}

int available() {
  const std::lock_guard lock(inventory.stock_mutex);
  return inventory.stock;
}

void ship(int pieces) {
#ifdef FIXED
  const std::lock_guard lock(inventory.stock_mutex);
#else
  const std::lock_guard lock(inventory.orders_mutex);
#endif
  inventory.stock = inventory.stock - pieces;
}

int main() {
  std::thread supplier(receive, 5);
  std::thread customer(ship, 4);
  supplier.join();
  customer.join();
  if (available() != 11) {
    // Which of the two updates was lost depends on the schedule: here only the supplier's own.
    assert(available() != 15);
  }
}
