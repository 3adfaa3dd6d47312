// what: Peterson's algorithm for two threads
// broken: a thread gives the turn away before it announces its intent
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> wants[2];
std::atomic<int> turn;
std::atomic<int> inside;

void enter(int me) {
#ifndef BROKEN
  wants[me] = 1;
  turn = 1 - me;
#else
  turn = 1 - me;
  wants[me] = 1;
#endif
  while (wants[1 - me] == 1 && turn == 1 - me) {
  }
}

void leave(int me) { wants[me] = 0; }

void work(int me) {
  enter(me);
  assert(inside++ == 0);
  inside--;
  leave(me);
}

int main() {
  std::thread other(work, 1);
  work(0);
  other.join();
}
