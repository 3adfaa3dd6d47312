// Two threads lock and unlock a mutex of their own M times, while N others wait on a condition
// variable. So N does not change the number of enabled threads.
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  int bystanders = std::atoi(argv[1]);
  int rounds = std::atoi(argv[2]);
  std::mutex gate;
  std::condition_variable opened;
  bool open = false;
  std::vector<std::thread> waiting;
  for (int i = 0; i < bystanders; ++i) {
    waiting.emplace_back([&] {
      std::unique_lock lock(gate);
      opened.wait(lock, [&] { return open; });
    });
  }
  std::thread workers[2];
  for (std::thread& worker : workers) {
    worker = std::thread([rounds] {
      std::mutex own;
      for (int i = 0; i < rounds; ++i) std::lock_guard lock(own);
    });
  }
  for (std::thread& worker : workers) worker.join();
  {
    std::lock_guard lock(gate);
    open = true;
  }
  opened.notify_all();
  for (std::thread& thread : waiting) thread.join();
}
