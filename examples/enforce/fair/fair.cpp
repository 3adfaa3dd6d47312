// Two threads do the same number of rounds of work, each in its own time. Without fair.mop one of
// them may be done before the other begins.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

class Task {
 public:
  void work(int who) {
    ++done_[who];
    std::this_thread::yield();
    const int ahead = done_[0] - done_[1];
    if (ahead > 1 || ahead < -1) {
      std::puts("one thread is two rounds ahead");
      std::abort();
    }
  }

 private:
  int done_[2] = {0, 0};
};

constexpr int kRounds = 3;

int main() {
  Task task;
  std::thread threads[2];
  for (int who = 0; who < 2; ++who) {
    threads[who] = std::thread([&task, who] {
      pthread_setname_np(pthread_self(), who == 0 ? "t1" : "t2");
      for (int round = 0; round < kRounds; ++round) task.work(who);
    });
  }
  for (std::thread& thread : threads) thread.join();
}
