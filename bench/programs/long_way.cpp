// long_way SECTIONS: three threads, each with SECTIONS sections under a lock of its own. In the
// middle and in the last few of them all take the same lock. 320 sections make about 2,000 steps.
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

constexpr int kThreads = 3;
constexpr int kAtEnd = 3;

std::mutex g_own[kThreads];
std::mutex g_shared;
int g_sum;

void walk(int thread, int sections) {
  for (int i = 0; i < sections; ++i) {
    const bool shared = i == sections / 2 || i >= sections - kAtEnd;
    std::lock_guard lock(shared ? g_shared : g_own[thread]);
    if (shared) ++g_sum;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int sections = argc > 1 ? std::atoi(argv[1]) : 320;
  std::thread threads[kThreads];
  for (int t = 0; t < kThreads; ++t) threads[t] = std::thread(walk, t, sections);
  for (std::thread& thread : threads) thread.join();
  return g_sum == kThreads * (kAtEnd + 1) ? 0 : 1;
}
