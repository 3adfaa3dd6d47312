// The writer counts the version only afterwards: it tells the reader nothing.
// cause: torn-pair
// object: feed.bid
// also: -O0
#include <atomic>
#include <cassert>
#include <thread>

struct Feed {
  std::atomic<unsigned> version{0};
  std::atomic<int> bid{100};
  std::atomic<int> ask{101};
} feed;

void publish(int bid, int ask) {
#ifdef FIXED
  ++feed.version;
#endif
  feed.bid = bid;
  feed.ask = ask;
  ++feed.version;
}

bool read_quote(int& bid, int& ask) {
  const unsigned before = feed.version;
  bid = feed.bid;  // [first]
  ask = feed.ask;  // [last]
#ifdef FIXED
  if (before % 2 == 1) return false;
#endif
  return before == feed.version;
}

int main() {
  std::thread market(publish, 200, 201);
  int bid = 0;
  int ask = 0;
  const bool valid = read_quote(bid, ask);
  assert(!valid || ask - bid == 1);
  market.join();
}
