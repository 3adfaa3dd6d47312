// A query that is told to come again leaves without giving its permit back, and comes again.
// cause: permit-kept
// object: pool.permits
// says: nobody posted it
#include <semaphore.h>

#include <atomic>
#include <thread>

struct Pool {
  sem_t permits;
  std::atomic<bool> busy{false};
};

bool query(Pool& pool) {
  sem_wait(&pool.permits);  // [first] [last]
  if (pool.busy) {
#ifdef FIXED
    sem_post(&pool.permits);
#endif
    return false;
  }
  sem_post(&pool.permits);
  return true;
}

int main() {
  static Pool pool;
  sem_init(&pool.permits, 0, 1);
  std::thread maintenance([] {
    pool.busy = true;
    pool.busy = false;
  });
  std::thread client([] {
    while (!query(pool)) std::this_thread::yield();
  });
  maintenance.join();
  client.join();
  sem_destroy(&pool.permits);
}
