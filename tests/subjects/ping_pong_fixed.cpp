// ping_pong.cpp with its bug fixed: both players hold the table's lock.
#include <cstdlib>
#include <mutex>
#include <thread>

struct Ball {
  int hits = 0;
};

class Table {
 public:
  void ping() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ball_ == nullptr) return;
    std::this_thread::yield();  // the racket swings
    if (ball_ == nullptr) {
      ++strikes_;  // hit a ball that is not there
    } else {
      ++ball_->hits;
    }
  }

  void pong() {
    std::lock_guard<std::mutex> lock(mutex_);
    ball_ = nullptr;
    std::this_thread::yield();
    ball_ = &own_;
  }

  int strikes() const { return strikes_; }

 private:
  std::mutex mutex_;
  Ball own_;
  Ball* ball_ = &own_;
  int strikes_ = 0;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  Table table;
  std::thread one([&] {
    for (int i = 0; i < rounds; ++i) table.ping();
  });
  std::thread two([&] {
    for (int i = 0; i < rounds; ++i) table.pong();
  });
  one.join();
  two.join();
  return table.strikes() == 0 ? 0 : 1;
}
