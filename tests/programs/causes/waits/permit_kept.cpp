// A request that is refused leaves without giving back its permit.
// cause: permit-kept
// object: permits
// says: and ended without posting it
#include <semaphore.h>

#include <thread>

sem_t permits;
int left = 5;

bool spend(int amount) {
  sem_wait(&permits);  // [first] [last]
  if (amount > left) {
#ifdef FIXED
    sem_post(&permits);
#endif
    return false;
  }
  left -= amount;
  sem_post(&permits);
  return true;
}

int main() {
  sem_init(&permits, 0, 1);
  std::thread one([] { spend(3); });
  std::thread two([] { spend(3); });
  std::thread three([] { spend(1); });
  one.join();
  two.join();
  three.join();
}
