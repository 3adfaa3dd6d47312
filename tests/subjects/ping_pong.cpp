// bug: Table::(ping|pong)
// paper: 004 Table 1, PingPong
// seen by: race, lockset, atomic-set
// seen with functions: atomicity, serializability
//
// Two players share a pointer to the ball. One player looks whether the ball is there and then hits
// it, while the other puts it away: the ball that was there is gone.
#include <cstdlib>
#include <mutex>
#include <thread>

struct Ball {
  int hits = 0;
};

class Table {
 public:
  void ping() {
    if (ball_ == nullptr) return;
    std::this_thread::yield();  // the racket swings
    if (ball_ == nullptr) {
      ++strikes_;  // hit a ball that is not there
    } else {
      ++ball_->hits;
    }
  }

  void pong() {
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
