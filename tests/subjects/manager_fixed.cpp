// manager.cpp with its bug fixed: the manager looks under the lock whether enough blocks are free.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

class Manager {
 public:
  explicit Manager(int blocks) : free_(blocks) {}

  bool request(int blocks) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (free_ < blocks) return false;
    free_ -= blocks;
    if (free_ < 0) ++strikes_;
    return true;
  }

  void release(int blocks) {
    std::lock_guard<std::mutex> lock(mutex_);
    free_ += blocks;
  }

  int strikes() {
    std::lock_guard<std::mutex> lock(mutex_);
    return strikes_;
  }

 private:
  std::mutex mutex_;
  int free_;
  int strikes_ = 0;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  Manager manager(3);
  std::vector<std::thread> clients;
  for (int c = 0; c < 3; ++c) {
    clients.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        if (manager.request(2)) manager.release(2);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  return manager.strikes() == 0 ? 0 : 1;
}
