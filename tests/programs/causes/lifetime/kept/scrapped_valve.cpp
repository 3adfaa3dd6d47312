// A valve is looked up under the lock of the garden and opened without it; the fitter scraps it.
// The valve has a mutex of its own, which ends with it: to hold that helps nobody.
// cause: use-after-free
// object: Valve
// says: T2 took garden.mutex_ in between
// seen: hold garden.mutex_
// never: Valve::mutex_ at
// never: without that lock
// causes: 1
// also: -O0
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Valve {
 public:
  std::size_t open(int minutes) {
    const std::lock_guard lock(mutex_);                     // [last]
    log_.push_back("open for " + std::to_string(minutes));  // [last]
    return log_.size();
  }  // [last]

 private:
  std::vector<std::string> log_;
  std::mutex mutex_;
};

class Garden {
 public:
#ifdef FIXED
  using Owner = std::shared_ptr<Valve>;
#else
  using Owner = std::unique_ptr<Valve>;
#endif
  Garden() {
    for (int bed = 0; bed < 2; ++bed) valves_[bed] = Owner(new Valve);
  }
#ifdef FIXED
  Owner at(int bed) {
    const std::lock_guard lock(mutex_);
    const auto valve = valves_.find(bed);
    return valve == valves_.end() ? nullptr : valve->second;
  }
#else
  Valve* at(int bed) {
    const std::lock_guard lock(mutex_);
    const auto valve = valves_.find(bed);
    return valve == valves_.end() ? nullptr : valve->second.get();
  }
#endif
  void scrap(int bed) {
    const std::lock_guard lock(mutex_);
    valves_.erase(bed);  // [first]
  }

 private:
  std::mutex mutex_;
  std::map<int, Owner> valves_;
};

int main() {
  Garden garden;
  std::thread gardener([&] {
    for (int bed = 0; bed < 2; ++bed)
      if (const auto valve = garden.at(bed)) valve->open(5);
  });
  std::thread fitter([&] { garden.scrap(1); });
  gardener.join();
  fitter.join();
}
