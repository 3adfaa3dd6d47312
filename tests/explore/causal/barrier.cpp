// Two threads compute a half each, meet, and read the other's. With BROKEN the barrier lets the
// first one pass.
#include <pthread.h>

#include <cassert>
#include <thread>

static int halves[2];
static pthread_barrier_t meeting;

static void compute(int own) {
  halves[own] = 1;
  pthread_barrier_wait(&meeting);
  assert(halves[1 - own] == 1);
}

int main() {
#ifdef BROKEN
  pthread_barrier_init(&meeting, nullptr, 1);
#else
  pthread_barrier_init(&meeting, nullptr, 2);
#endif
  std::thread other([] { compute(1); });
  compute(0);
  other.join();
}
