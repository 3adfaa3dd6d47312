// critical_section.cpp with its bug fixed: the gate is a mutex.
#include <cstdlib>
#include <mutex>
#include <thread>

class Gate {
 public:
  void enter() {
    mutex_.lock();
    busy_ = true;
  }
  void leave() {
    busy_ = false;
    mutex_.unlock();
  }

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
