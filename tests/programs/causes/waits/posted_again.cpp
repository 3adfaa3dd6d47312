// A refused job gives the only place back, and its caller does so again: two are inside.
// cause: posted-again
// object: place
// says: began with 1
// never: by a lock that
// also: -O0
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <thread>

sem_t place;
std::atomic<int> inside{0};

bool work(int job) {
  sem_wait(&place);  // [last]
  assert(inside.fetch_add(1) == 0);
  inside.fetch_sub(1);
  if (job < 0) {
    sem_post(&place);
    return false;
  }
  return true;
}

void submit(int job) {
  const bool done = work(job);
#ifdef FIXED
  if (done) sem_post(&place);
#else
  (void)done;
  sem_post(&place);  // [first]
#endif
}

int main() {
  sem_init(&place, 0, 1);
  std::thread one(submit, -1);
  std::thread two(submit, 1);
  std::thread three(submit, 2);
  one.join();
  two.join();
  three.join();
}
