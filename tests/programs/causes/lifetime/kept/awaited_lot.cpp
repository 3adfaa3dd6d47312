// An auctioneer has a reference to a lot while it waits for a bid: the wait gives the lock back,
// and the owner withdraws the lot.
// cause: use-after-free
// object: Lot
// says: T1 released hall in the wait at
// seen: look it up again
// also: -O0
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

struct Lot {
  int reserve = 10;
  int bid = 0;
};

static std::mutex hall;
static std::condition_variable raised;
static int hands = 0;
static std::list<std::unique_ptr<Lot>> lots;

static int sell() {
  std::unique_lock lock(hall);
  if (lots.empty()) return 0;
  Lot* lot = lots.front().get();
  const int wanted = lot->reserve;
  raised.wait(lock, [] { return hands > 0; });
#ifdef FIXED
  if (lots.empty()) return 0;
  lot = lots.front().get();
#endif
  lot->bid = wanted;  // [last]
  return wanted;
}

int main() {
  lots.push_back(std::make_unique<Lot>());
  std::thread auctioneer([] { sell(); });
  std::thread owner([] {
    const std::lock_guard lock(hall);
    lots.clear();  // [first]
  });
  std::thread bidder([] {
    const std::lock_guard lock(hall);
    ++hands;
    raised.notify_one();
  });
  auctioneer.join();
  owner.join();
  bidder.join();
}
