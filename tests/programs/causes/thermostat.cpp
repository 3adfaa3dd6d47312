// Each bound has a lock of its own, taken by one small function: the lines that matter call it.
// cause: torn-pair
// object: room.low_
// also: -O0
// also: -O2
// shows: writes high_.value_ = 14
// says: over both reads (thermostat.cpp:44 and thermostat.cpp:45)
#include <cassert>
#include <mutex>
#include <thread>

template <typename T>
class Locked {
 public:
  explicit Locked(T value) : value_(value) {}
  [[gnu::noinline]] T get() {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  [[gnu::noinline]] void set(T value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
  }

 private:
  std::mutex mutex_;
  T value_;
};

class Room {
 public:
  void adjust(int low, int high) {
#ifdef FIXED
    const std::lock_guard lock(both_);
#endif
    low_.set(low);
    high_.set(high);
  }

  bool is_sound() {
#ifdef FIXED
    const std::lock_guard lock(both_);
#endif
    const int low = low_.get();    // [first]
    const int high = high_.get();  // [last]
    return low < high;
  }

 private:
  std::mutex both_;
  Locked<int> low_{18};
  Locked<int> high_{21};
};

Room room;

int main() {
  std::thread owner([] { room.adjust(10, 14); });
  std::thread display([] {
    const bool sound = room.is_sound();
    assert(sound);
  });
  owner.join();
  display.join();
}
