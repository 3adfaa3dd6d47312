// bug: Gate::|\binside\b|\bstrikes\b
// paper: 004 Table 1, Critical
// seen by: race, lockset, atomic-set
// seen with functions: atomicity, serializability
//
// A plain flag guards a critical section: a thread looks whether it is free, then takes it. Two
// threads look before either takes it, and both are inside.
#include <cstdlib>
#include <mutex>
#include <thread>

class Gate {
 public:
  void enter() {
    while (busy_) std::this_thread::yield();
    std::this_thread::yield();
    busy_ = true;
  }
  void leave() { busy_ = false; }

 private:
  std::mutex mutex_;
  bool busy_ = false;
};

Gate gate;
int inside = 0;
int strikes = 0;

void work(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    gate.enter();
    if (++inside != 1) ++strikes;
    std::this_thread::yield();
    --inside;
    gate.leave();
  }
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  std::thread first(work, rounds);
  std::thread second(work, rounds);
  first.join();
  second.join();
  return strikes == 0 ? 0 : 1;
}
