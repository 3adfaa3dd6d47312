// Three users share something that the last of them to leave destroys. Since the change
// (reference.patch) leaving is two operations on the counter, and two users can both be the last.
#include <atomic>
#include <cassert>
#include <thread>

class Statistics {
 public:
  void note(int what) {
    ++notes_;
    last_ = what;
  }

 private:
  std::atomic<int> notes_ = 0;
  std::atomic<int> last_ = 0;
};

class Shared {
 public:
  explicit Shared(int users) : users_(users) {}

  void leave() {
    --users_;
    if (users_ == 0) ++destroyed_;
  }

  int destroyed() const { return destroyed_; }

 private:
  std::atomic<int> users_;
  std::atomic<int> destroyed_ = 0;
};

Shared shared(3);
Statistics statistics;

void user(int number) {
  shared.leave();
  statistics.note(number);
}

int main() {
  std::thread one(user, 1);
  std::thread two(user, 2);
  std::thread three(user, 3);
  one.join();
  two.join();
  three.join();
  assert(shared.destroyed() == 1);
}
