// expect: livelock
// seeds: 3
// native: no
// Two threads are so polite that neither goes on: each waits, yielding, for the other's flag.
#include <atomic>
#include <thread>

std::atomic<bool> first_done{false}, second_done{false};

int main() {
  std::thread first([] {
    while (!second_done) std::this_thread::yield();
    first_done = true;
  });
  std::thread second([] {
    while (!first_done) std::this_thread::yield();
    second_done = true;
  });
  first.join();
  second.join();
}
