// Two clerks move items between two shelves, and a third thread only counts. The change
// (three_threads.patch) took the lock away from around the two steps of a move.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

std::mutex mutex;
std::atomic<int> here{1}, there{0}, ticks{0};

__attribute__((noinline)) void move_one() {
  if (here.load() > 0) {
    here.fetch_sub(1);
    there.fetch_add(1);
  }
}

__attribute__((noinline)) void tick() {
  for (int i = 0; i < 3; ++i) {
    std::lock_guard<std::mutex> lock(mutex);
    ticks.fetch_add(1);
  }
}

int main() {
  std::thread ticker(tick), one(move_one), two(move_one);
  ticker.join();
  one.join();
  two.join();
  if (here.load() < 0) std::abort();
}
