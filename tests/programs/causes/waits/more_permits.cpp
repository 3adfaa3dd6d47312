// The semaphore of a pool has a permit more than the pool has slots. What lies between taking a
// slot and giving it back is no critical section.
// cause: let-both-in
// object: pool.permits
// says: pool.permits let
// seen: go on while
// never: do both in one function
// never: keep
#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <thread>

struct Pool {
#ifdef FIXED
  std::counting_semaphore<4> permits{1};
#else
  std::counting_semaphore<4> permits{2};
#endif
  std::mutex mutex;
  bool busy = false;

  void take() {
    permits.acquire();  // [first] [last]
    const std::lock_guard lock(mutex);
    if (busy) std::abort();
    busy = true;
  }
  void give() {
    {
      const std::lock_guard lock(mutex);
      busy = false;
    }
    permits.release();
  }
} pool;

void work() {
  pool.take();
  pool.give();
}

int main() {
  std::thread other(work);
  work();
  other.join();
}
