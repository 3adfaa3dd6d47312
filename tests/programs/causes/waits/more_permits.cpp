// The semaphore of a pool has a permit more than the pool has slots. What lies between taking a
// slot and giving it back is no critical section. The twin counts with a semaphore of POSIX:
// libstdc++'s may lose a wake-up, which is no fault of this program.
// cause: let-both-in
// object: pool.permits
// says: pool.permits let
// seen: go on while
// never: do both in one function
// never: keep
#include <semaphore.h>

#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <thread>

#ifdef FIXED
struct Permits {
  Permits() { sem_init(&free, 0, 1); }
  void acquire() { sem_wait(&free); }
  void release() { sem_post(&free); }
  sem_t free;
};
#endif

struct Pool {
#ifdef FIXED
  Permits permits;
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
