// The consumer finds the queue empty and then asks whether it is closed; the producer pushes and
// closes in between.
// cause: came-between
// object: belt.closed_
// says: read belt.closed_ (emptied_before_closed.cpp:
// seen: T2 writes it last
#include <atomic>
#include <cassert>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

class Belt {
 public:
  void put(int parcel) {
    const std::lock_guard lock(mutex_);
    parcels_.push_back(parcel);
  }
  std::optional<int> take() {
    const std::lock_guard lock(mutex_);
    if (parcels_.empty()) return std::nullopt;  // [first]
    const int parcel = parcels_.front();
    parcels_.pop_front();
    return parcel;
  }
  void close() { closed_.store(true); }
  bool closed() const { return closed_.load(); }  // [last]

 private:
  std::mutex mutex_;
  std::deque<int> parcels_;
  std::atomic<bool> closed_{false};
} belt;

int loaded = 0;

void load() {
  for (;;) {
#ifdef FIXED
    const bool closed = belt.closed();
    if (belt.take()) {
      ++loaded;
    } else if (closed) {
      return;
    }
#else
    if (belt.take()) {
      ++loaded;
    } else if (belt.closed()) {
      return;
    }
#endif
    std::this_thread::yield();
  }
}

int main() {
  std::thread loader(load);
  std::thread sorter([] {
    belt.put(1);
    belt.put(2);
    belt.close();
  });
  loader.join();
  sorter.join();
  assert(loaded == 2);
}
