// What a station measured is announced by a flag whose order is relaxed: who sees the flag need not
// see the rest.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

class Station {
 public:
  void measure() {
    degrees_ = 21;
    humidity_ = 40;
#ifdef FIXED
    ready_.store(true, std::memory_order_release);
#else
    ready_.store(true, std::memory_order_relaxed);  // [store]
#endif
  }
  int sum() {
#ifdef FIXED
    while (!ready_.load(std::memory_order_acquire)) std::this_thread::yield();
#else
    while (!ready_.load(std::memory_order_relaxed)) std::this_thread::yield();  // [load]
#endif
    return degrees_ + humidity_;
  }

 private:
  int degrees_ = 0;
  int humidity_ = 0;
  std::atomic<bool> ready_{false};
};

}  // namespace

int main() {
  Station station;
  std::thread sensor([&] { station.measure(); });
  std::thread display([&] { assert(station.sum() == 61); });
  sensor.join();
  display.join();
}
