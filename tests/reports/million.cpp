// A million events: two threads write to their own halves of an array, and meet at the end.
#include <thread>

static volatile int cells[64];

static void work(int from) {
  for (int i = 0; i < 300000; ++i) cells[from + i % 32] = cells[from + i % 32] + 1;
}

int main() {
  std::thread first(work, 0);
  std::thread second(work, 32);
  first.join();
  second.join();
  return 0;
}
