// Three threads take turns. std::counting_semaphore of libstdc++ may sleep though it is not 0.
// cause: library-wait
// object: places
// says: not by the program
// never: waits for one more
#include <semaphore.h>

#include <semaphore>
#include <thread>

#ifdef FIXED
sem_t places;
void take() { sem_wait(&places); }
void give() { sem_post(&places); }
#else
std::counting_semaphore<2> places(1);
void take() { places.acquire(); }  // [last]
void give() { places.release(); }  // [first]
#endif

void use() {
  take();
  give();
}

int main() {
#ifdef FIXED
  sem_init(&places, 0, 1);
#endif
  std::thread one(use);
  std::thread two(use);
  std::thread three(use);
  one.join();
  two.join();
  three.join();
}
