// N threads that yield M times each. When threads take turns, every step is a switch.
#include <sched.h>

#include <cstdlib>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int threads = std::atoi(argv[1]);
  int yields = std::atoi(argv[2]);
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([yields] {
      for (int k = 0; k < yields; ++k) sched_yield();
    });
  }
  for (std::thread& thread : all) thread.join();
}
