// A constructor makes its object known before it has written the members: who finds it there sees
// what they began with, and nothing new.
// cause: read-too-early
// object: scale.unit_
// says: in the constructor
// never: one new and one old
// never: one mutex
// also: -O0
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

class Board {
 public:
  void add(std::function<int(int)> use) {
    const std::lock_guard lock(mutex_);
    uses_.push_back(std::move(use));
  }
  void ask(int load) {
    std::vector<std::function<int(int)>> uses;
    {
      const std::lock_guard lock(mutex_);
      uses = uses_;
    }
    for (auto& use : uses) use(load);
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<int(int)>> uses_;
} board;

class Scale {
 public:
  Scale() {
#ifndef FIXED
    board.add([this](int load) { return weigh(load); });
#endif
    offset_ = 3;
    unit_ = 2;  // [last]
#ifdef FIXED
    board.add([this](int load) { return weigh(load); });
#endif
  }
  int weigh(int load) {
    const std::lock_guard lock(mutex_);
    const int sum = load + offset_;
    if (unit_ == 0) std::abort();  // [first]
    return sum / unit_;
  }

 private:
  std::mutex mutex_;
  int offset_ = 0;
  int unit_ = 0;
};

int main() {
  std::thread customer([] { board.ask(5); });
  Scale scale;
  customer.join();
}
