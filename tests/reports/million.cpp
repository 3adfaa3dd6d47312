// A million events, or about three for each of the rounds that the argument says: two threads write
// to their own halves of an array, and meet at the end.
#include <cstdlib>
#include <thread>

static volatile int cells[64];

static void work(int from, int rounds) {
  for (int i = 0; i < rounds; ++i) cells[from + i % 32] = cells[from + i % 32] + 1;
}

int main(int count, char** words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 300000;
  std::thread first(work, 0, rounds);
  std::thread second(work, 32, rounds);
  first.join();
  second.join();
  return 0;
}
