// Philosophers whose forks know no lock: a property is all that guards them. With an argument they
// all take the left fork first.
#include <assert.h>
#include <pthread.h>

class Fork {
 public:
  void acquire() {
    assert(!taken_);
    taken_ = true;
  }
  void release() { taken_ = false; }

 private:
  bool taken_ = false;
};

static Fork forks[2];
static bool left_first;

static void* philosopher(void* argument) {
  const int seat = *static_cast<int*>(argument);
  const int first = left_first ? seat : 0;
  forks[first].acquire();
  forks[1 - first].acquire();
  forks[1 - first].release();
  forks[first].release();
  return nullptr;
}

int main(int argc, char**) {
  left_first = argc > 1;
  int seats[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], nullptr, philosopher, &seats[i]);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
}
