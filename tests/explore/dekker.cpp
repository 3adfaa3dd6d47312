// what: Dekker's algorithm for two threads
// broken: a thread looks at the other's intent before it announces its own
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> wants[2];
std::atomic<int> turn;
std::atomic<int> inside;

void enter(int me) {
#ifndef BROKEN
  wants[me] = 1;
  while (wants[1 - me] == 1) {
    if (turn == me) continue;
    wants[me] = 0;
    while (turn != me) {
    }
    wants[me] = 1;
  }
#else
  while (wants[1 - me] == 1) {
  }
  wants[me] = 1;
#endif
}

void leave(int me) {
  turn = 1 - me;
  wants[me] = 0;
}

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
