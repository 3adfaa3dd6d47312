// A porter looks whether the shift is over, then takes the lock and waits for luggage. If the shift
// ends in between, nothing tells it.
// cause: unwatched-change
// object: luggage_came
// says: not looked at again before the wait: shift_over
// seen: before the change and without desk, and did not look at it again
// never: , and not at
#include <pthread.h>

#include <atomic>

pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t luggage_came = PTHREAD_COND_INITIALIZER;
std::atomic<bool> shift_over{false};
int bags = 0;

void* carry(void*) {
  while (!shift_over.load()) {
    pthread_mutex_lock(&desk);
#ifdef FIXED
    while (bags == 0 && !shift_over.load()) pthread_cond_wait(&luggage_came, &desk);
#else
    while (bags == 0) pthread_cond_wait(&luggage_came, &desk);  // [last]
#endif
    if (bags > 0) --bags;
    pthread_mutex_unlock(&desk);
  }
  return nullptr;
}

int main() {
  pthread_t porter{};
  pthread_create(&porter, nullptr, carry, nullptr);
  pthread_mutex_lock(&desk);
  bags = 1;
  pthread_cond_signal(&luggage_came);
  pthread_mutex_unlock(&desk);
  pthread_mutex_lock(&desk);
  shift_over.store(true);  // [first]
  pthread_cond_broadcast(&luggage_came);
  pthread_mutex_unlock(&desk);
  pthread_join(porter, nullptr);
}
