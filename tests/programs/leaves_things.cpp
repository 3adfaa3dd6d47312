// expect: passed
// seeds: 20
// An execution that leaves much behind: memory, a larger heap, files, pipes, a mapping, a signal
// handler, threads by the dozen. The next one must find nothing of it.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "check.h"

namespace {

int g_times;  // that main() was called in this process
std::vector<char*> g_leaked;
std::mutex g_lock;

std::condition_variable& g_never = *new std::condition_variable;  // its end would wait for them
int g_waiting;

void on_signal(int) {}

void wait_for_ever() {
  std::unique_lock<std::mutex> lock(g_lock);
  ++g_waiting;
  for (;;) g_never.wait(lock);
}

void leak(int bytes) {
  std::lock_guard<std::mutex> guard(g_lock);
  g_leaked.push_back(static_cast<char*>(std::malloc(std::size_t(bytes))));
  CHECK(g_leaked.back() != nullptr);
  std::memset(g_leaked.back(), 1, std::size_t(bytes));
}

}  // namespace

int main() {
  CHECK_EQ(++g_times, 1);
  CHECK(g_leaked.empty());
  struct sigaction before{};
  CHECK_EQ(sigaction(SIGUSR1, nullptr, &before), 0);
  CHECK(before.sa_handler == SIG_DFL);
  CHECK(signal(SIGUSR1, on_signal) == SIG_DFL);

  const int first = open("/dev/null", O_RDONLY);
  CHECK(first >= 0 && first < 10);
  for (int i = 0; i < 5; ++i) CHECK(open("/dev/null", O_RDONLY) >= 0);
  int ends[2];
  CHECK_EQ(pipe(ends), 0);
  CHECK_EQ(int(write(ends[1], "x", 1)), 1);

  const std::size_t size = 1 << 16;
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mapped != MAP_FAILED);
  CHECK(*static_cast<char*>(mapped) == 0);
  std::memset(mapped, 7, size);

  std::vector<std::thread> threads;
  for (int i = 0; i < 30; ++i) threads.emplace_back(leak, 1 << (4 + i % 15));
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(int(g_leaked.size()), 30);
  std::free(std::malloc(8 << 20));

  for (int i = 0; i < 300; ++i) std::thread(wait_for_ever).detach();
  for (bool all = false; !all; std::this_thread::yield()) {
    std::lock_guard<std::mutex> guard(g_lock);
    all = g_waiting == 300;
  }
  return 0;
}
