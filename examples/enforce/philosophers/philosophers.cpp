// Dining philosophers without any synchronisation: each takes its left fork, then its right one.
// The properties beside this file do the rest: one_fork.mop, and seats.mop against the deadlock.
//
//   philosophers          the last philosopher takes its right fork first: there is no circle
//   philosophers circle   all take the left one first
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

class Fork {
 public:
  void acquire() {
    ++users_;
    std::this_thread::yield();
    if (users_ != 1) {
      std::puts("two philosophers hold one fork");
      std::abort();
    }
  }
  void release() { --users_; }

 private:
  int users_ = 0;
};

class Philosopher {
 public:
  Philosopher(Fork& left, Fork& right) : left_(left), right_(right) {}

  void dine() {
    take_left();
    take_right();
    std::this_thread::yield();  // eats
    put_left();
    put_right();
  }

 private:
  void take_left() { left_.acquire(); }
  void take_right() { right_.acquire(); }
  void put_left() { left_.release(); }
  void put_right() { right_.release(); }

  Fork& left_;
  Fork& right_;
};

constexpr int kSeats = 3;

int main(int argc, char** argv) {
  const bool circle = argc > 1 && std::strcmp(argv[1], "circle") == 0;
  Fork forks[kSeats];
  std::vector<std::thread> threads;
  for (int i = 0; i < kSeats; ++i) {
    threads.emplace_back([&forks, i, circle] {
      Fork& left = forks[i];
      Fork& right = forks[(i + 1) % kSeats];
      const bool swaps = !circle && i == kSeats - 1;
      Philosopher(swaps ? right : left, swaps ? left : right).dine();
    });
  }
  for (std::thread& thread : threads) thread.join();
}
