// The kiosk opens before its prices are there. How many there are is right all the time.
// cause: unsafe-publication
// object: kiosk.prices
// also: -O0
// also: -O2
// says: write kiosk.open
#include <atomic>
#include <cassert>
#include <thread>

struct Kiosk {
  int goods = 0;
  int prices[4] = {};
  std::atomic<bool> open{false};
} kiosk;

void prepare() {
  kiosk.goods = 4;
#ifndef FIXED
  kiosk.open.store(true);  // [first]
#endif
  for (int i = 0; i < 4; ++i) kiosk.prices[i] = 5 + i;
#ifdef FIXED
  kiosk.open.store(true);
#endif
}

void buy(int good) {
  if (!kiosk.open.load()) return;
  const int price = kiosk.prices[good % kiosk.goods];  // [last]
  assert(price > 0);
}

int main() {
  std::thread keeper(prepare);
  std::thread customer(buy, 6);
  keeper.join();
  customer.join();
}
