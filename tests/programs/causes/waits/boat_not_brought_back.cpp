// Two boats for hire. Who finds that the lake is not to be rowed on goes without bringing the first
// back, and hires one once more; in the evening all boats are to be there.
// cause: permit-kept
// object: hire.boats_
// says: on every way out of row
// never: waits for a change that does not come
#include <cstdio>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>

class Hire {
 public:
  void row(int lake) {
    boats_.acquire();  // [first]
    {
      std::lock_guard lock(mutex_);
      if (!taken_.insert(lake).second) {
#ifdef FIXED
        boats_.release();
#endif
        return;
      }
    }
    {
      std::lock_guard lock(mutex_);
      taken_.erase(lake);
      ++trips_;
    }
    boats_.release();
  }

  void evening() {
    boats_.acquire();
    boats_.acquire();  // [last]
    boats_.release(2);
  }

 private:
  std::counting_semaphore<2> boats_{2};
  std::mutex mutex_;
  std::set<int> taken_;
  int trips_ = 0;
};

int main() {
  Hire hire;
  const auto guest = [&hire](int second) {
    hire.row(1);
    hire.row(second);
  };
  std::thread one(guest, 2);
  std::thread other(guest, 3);
  one.join();
  other.join();
  hire.evening();
}
