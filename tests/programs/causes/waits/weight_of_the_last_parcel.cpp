// A parcel that is not weighed in time is sent on unbilled. Its weight comes all the same, when the
// next parcel is on the scale.
// cause: time-out
// object: scale.grams_
// says: waited anew at
// seen: drop answers that nobody waits for any more
// never: 42949
// never: what the wait
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

class Scale {
 public:
  Scale() : sensor_([this] { measure(); }) {}
  ~Scale() {
    {
      const std::lock_guard lock(mutex_);
      off_ = true;
    }
    loaded_.notify_one();
    sensor_.join();
  }

  std::optional<int> weigh(int parcel) {
    std::unique_lock lock(mutex_);
    grams_.reset();
    parcels_.push(parcel);
    loaded_.notify_one();
#ifdef FIXED
    const auto done = [this, parcel] { return grams_.has_value() && weighed_ == parcel; };
#else
    const auto done = [this] { return grams_.has_value(); };
#endif
    const bool in_time = settled_.wait_for(lock, std::chrono::milliseconds(5), done);  // [first]
    if (!in_time) return std::nullopt;
    return grams_;  // [last]
  }

 private:
  void measure() {
    std::unique_lock lock(mutex_);
    while (true) {
      loaded_.wait(lock, [this] { return off_ || !parcels_.empty(); });
      if (off_) return;
      const int parcel = parcels_.front();
      parcels_.pop();
      lock.unlock();
      const int grams = 250 * parcel;
      lock.lock();
      grams_ = grams;
      weighed_ = parcel;
      settled_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable loaded_;
  std::condition_variable settled_;
  std::optional<int> grams_;
  std::queue<int> parcels_;  // to be weighed
  int weighed_ = 0;          // the last one
  bool off_ = false;
  std::thread sensor_;
};

int main() {
  Scale scale;
  for (int parcel = 1; parcel <= 3; ++parcel) {
    const std::optional<int> grams = scale.weigh(parcel);
    assert(!grams || *grams == 250 * parcel);
  }
}
