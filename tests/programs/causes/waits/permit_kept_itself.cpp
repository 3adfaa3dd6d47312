// A thread keeps the only permit when there is nothing to do, and waits for it the next time.
// cause: permit-kept
// object: permit
// says: did not post it
#include <semaphore.h>

#include <atomic>
#include <thread>

sem_t permit;
std::atomic<int> work{2};

void use() {
  sem_wait(&permit);  // [first] [last]
  int left = work.load();
  if (left == 0) {
#ifdef FIXED
    sem_post(&permit);
#endif
    return;
  }
  work.store(left - 1);
  sem_post(&permit);
}

int main() {
  sem_init(&permit, 0, 1);
  std::thread first([] {
    use();
    use();
  });
  first.join();
  std::thread second([] {
    use();
    use();
  });
  second.join();
}
