// Two boats for hire. Who finds that the lake is not to be rowed on goes without bringing the first
// back, and hires one once more; in the evening all boats are to be there. The twin counts with a
// semaphore of POSIX: libstdc++'s may lose a wake-up, which is no fault of this program.
// cause: permit-kept
// object: hire.boats_
// says: on every way out of row
// never: waits for a change that does not come
#include <semaphore.h>

#include <cstdio>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>

#ifdef FIXED
struct Boats {
  Boats() { sem_init(&free, 0, 2); }
  void acquire() { sem_wait(&free); }
  void release(int n = 1) {
    while (n-- > 0) sem_post(&free);
  }
  sem_t free;
};
#endif

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
#ifdef FIXED
  Boats boats_;
#else
  std::counting_semaphore<2> boats_{2};
#endif
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
