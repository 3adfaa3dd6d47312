// Three runners meet after each lap, as many as the barrier waits for. Who sees that the race is
// called off leaves, and the others wait for it.
// cause: missing-arrival
// object: lap_end
// says: which had arrived in the round before, ended without arriving again
// seen: arrive at lap_end in every round
// never: initialise
#include <pthread.h>

#include <atomic>

constexpr int kRunners = 3;
constexpr int kLaps = 2;

pthread_barrier_t lap_end;
std::atomic<bool> called_off{false};

void* run(void* number) {
  for (int lap = 0; lap < kLaps; ++lap) {
#ifndef FIXED
    if (called_off) return nullptr;  // [first]
#endif
    if (lap == 1 && number == nullptr) called_off = true;
    pthread_barrier_wait(&lap_end);  // [last]
  }
  return nullptr;
}

int main() {
  int numbers[kRunners];
  pthread_t runners[kRunners];
  pthread_barrier_init(&lap_end, nullptr, kRunners);
  for (int i = 0; i < kRunners; ++i)
    pthread_create(&runners[i], nullptr, run, i == 0 ? nullptr : &numbers[i]);
  for (const pthread_t runner : runners) pthread_join(runner, nullptr);
  pthread_barrier_destroy(&lap_end);
}
