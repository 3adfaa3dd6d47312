// Molecular dynamics with a barrier of its own making (moldyn of the Java Grande benchmarks, as
// Lai, Cheung and Chan (2010) describe it): the threads wait for each other by looking at flags in
// a loop. The races are intended, and the violations benign.
#include <array>
#include <thread>

class Barrier {
 public:
  void wait(std::size_t self) {
    const int round = arrived_[self] + 1;
    arrived_[self] = round;
    while (arrived_[1 - self] < round) std::this_thread::yield();
  }

 private:
  volatile int arrived_[2] = {0, 0};
};

Barrier barrier;
std::array<int, 2> position;
std::array<int, 2> force;

void simulate(std::size_t self) {
  for (int step = 0; step < 2; ++step) {
    force[self] = 1 + position[1 - self];
    barrier.wait(self);
    position[self] += force[self];
    barrier.wait(self);
  }
}

int main() {
  std::thread first(simulate, 0);
  std::thread second(simulate, 1);
  first.join();
  second.join();
  return position[0] == 3 && position[1] == 3 ? 0 : 1;
}
