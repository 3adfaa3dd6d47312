// A bicycle is lent, and the station closes and locks all of them meanwhile. That it was open when
// the bicycle was lent is no half of a pair: nobody could hold its lock for the whole ride.
// cause: came-between
// object: Bicycle::locked
// says: closed_while_lent.cpp
// never: one mutex, held over both reads
// causes: 1
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Bicycle {
  std::mutex mutex;
  bool locked = false;
  bool is_locked() {
    const std::lock_guard lock(mutex);
    return locked;  // [last]
  }
  void lock_up() {
    const std::lock_guard lock(mutex);
    locked = true;
  }
};

class Station {
 public:
  Station() {
    all_.push_back(std::make_unique<Bicycle>());
    free_.push_back(all_.back().get());
  }
  Bicycle* lend() {
    const std::lock_guard lock(mutex_);
    if (closed_ || free_.empty()) return nullptr;  // [first]
    Bicycle* lent = free_.back();
    free_.pop_back();  // [first]
    ++lent_;           // [first]
    return lent;
  }
  void take_back(Bicycle* bicycle) {
    const std::lock_guard lock(mutex_);
    free_.push_back(bicycle);
    --lent_;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
#ifdef FIXED
    if (lent_ > 0) return;
#endif
    for (const auto& bicycle : all_) bicycle->lock_up();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Bicycle>> all_;
  std::vector<Bicycle*> free_;
  int lent_ = 0;
  bool closed_ = false;
} station;

int main() {
  std::thread rider([] {
    if (Bicycle* bicycle = station.lend()) {
      assert(!bicycle->is_locked());
      station.take_back(bicycle);
    }
  });
  std::thread keeper([] { station.close(); });
  rider.join();
  keeper.join();
}
