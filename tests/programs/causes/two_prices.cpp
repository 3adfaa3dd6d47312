// Two prices are a pair to whoever reads them, and are written under the lock one by one.
// cause: came-between
// object: rates.ask_
// says: do both in one function that locks rates.mutex_ once
#include <cassert>
#include <mutex>
#include <thread>

class Rates {
 public:
  void set_bid(int bid) {
    const std::lock_guard lock(mutex_);
    bid_ = bid;  // [first]
  }
  void set_ask(int ask) {
    const std::lock_guard lock(mutex_);
    ask_ = ask;  // [last]
  }
  void quote(int mid) {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
    bid_ = mid - 1;
    ask_ = mid + 1;
#else
    set_bid(mid - 1);
    set_ask(mid + 1);
#endif
  }
  int spread() {
    const std::lock_guard lock(mutex_);
    return ask_ - bid_;
  }

 private:
  std::mutex mutex_;
  int bid_ = 9;
  int ask_ = 11;
} rates;

int main() {
  std::thread feed([] {
    rates.quote(20);
    rates.quote(30);
  });
  std::thread client([] {
    for (int i = 0; i < 2; ++i) {
      const int spread = rates.spread();
      assert(spread == 2);
    }
  });
  feed.join();
  client.join();
}
