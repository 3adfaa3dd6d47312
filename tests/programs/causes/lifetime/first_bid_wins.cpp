// An auction ends with the first bid, and the table of bids with it; the second bidder still locks
// and uses it. There is a mutex in the table, so nobody can have a copy, nor is another one needed.
// cause: use-after-return
// object: table
// says: let T0 wait for
// never: a copy of
// never: with a mutex
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

struct Table {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> bids;
};

__attribute__((noinline)) int auction(int item) {  // [first]
  Table table;
  std::vector<std::thread> bidders;
  for (int bidder = 1; bidder <= 2; ++bidder) {
    bidders.emplace_back([&table, bidder, item] {
      const std::lock_guard lock(table.mutex);
      table.bids.push_back(100 * bidder + item);  // [last]
      table.changed.notify_one();
    });
  }
#ifdef FIXED
  for (std::thread& bidder : bidders) bidder.join();
#else
  for (std::thread& bidder : bidders) bidder.detach();
#endif
  std::unique_lock lock(table.mutex);
  table.changed.wait(lock, [&] { return !table.bids.empty(); });
  return table.bids.front();
}

int main() {
  const int one = auction(7);
  const int other = auction(8);
  return one % 100 == 7 && other % 100 == 8 ? 0 : 1;
}
