// what: Lamport's bakery for two threads
// broken: a customer does not wait for another who is still choosing a number
#include <atomic>
#include <cassert>
#include <thread>

constexpr int kThreads = 2;
std::atomic<bool> choosing[kThreads];
std::atomic<int> number[kThreads];
std::atomic<int> inside;

void enter(int me) {
  choosing[me] = true;
  int highest = 0;
  for (const std::atomic<int>& n : number) {
    const int seen = n;
    highest = seen > highest ? seen : highest;
  }
  number[me] = highest + 1;
  choosing[me] = false;
  for (int other = 0; other < kThreads; ++other) {
    if (other == me) continue;
#ifndef BROKEN
    while (choosing[other]) {
    }
#endif
    for (;;) {
      const int theirs = number[other];
      if (theirs == 0 || theirs > highest + 1 || (theirs == highest + 1 && other > me)) break;
    }
  }
}

void leave(int me) { number[me] = 0; }

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
