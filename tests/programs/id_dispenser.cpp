// expect: passed
// output: 6 different ids
// Each thread draws its ids one by one. Which id it gets depends on the schedule; that all differ
// does not.
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

namespace {

class Dispenser {
 public:
  int next() {
    std::lock_guard<std::mutex> hold(mutex_);
    return ++last_;
  }

 private:
  std::mutex mutex_;
  int last_ = 0;
};

Dispenser ids;
int drawn[2][3];

void draw(int* to) {
  to[0] = ids.next();
  to[1] = ids.next();
  to[2] = ids.next();
}

}  // namespace

int main() {
  std::thread one(draw, drawn[0]), two(draw, drawn[1]);
  one.join();
  two.join();
  std::set<int> different(drawn[0], drawn[0] + 3);
  different.insert(drawn[1], drawn[1] + 3);
  std::printf("%zu different ids\n", different.size());
}
