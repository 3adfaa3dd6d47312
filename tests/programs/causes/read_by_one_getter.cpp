// The tariff is asked for twice, and replaced in between; its lock is its own business.
// cause: two-reads
// object: meter.tariff_
// says: call tariff() once
// never: hold meter.mutex_
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Tariff {
  int unit = 0;
  int units = 0;
};

class Meter {
 public:
  void replace(int unit, int units) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::make_unique<Tariff>(Tariff{unit, units}));
    tariff_.store(all_.back().get());
  }
  const Tariff* tariff() const { return tariff_.load(); }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Tariff>> all_;
  std::atomic<const Tariff*> tariff_{nullptr};
} meter;

int bill() {
#ifdef FIXED
  const Tariff* tariff = meter.tariff();
  const int unit = tariff->unit;
  const int units = tariff->units;
#else
  const int unit = meter.tariff()->unit;    // [first]
  const int units = meter.tariff()->units;  // [last]
#endif
  return unit * units;
}

int main() {
  meter.replace(2, 50);
  std::thread clerk([] { assert(bill() == 100); });
  std::thread board([] { meter.replace(4, 25); });
  clerk.join();
  board.join();
}
