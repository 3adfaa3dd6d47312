// Each of two divers signs the list when it is down, and off when it is up. The boat leaves when
// nobody is on the list: also when nobody is down yet.
// cause: read-too-early
// object: catch_.fish
// says: counted itself in
// seen: before it is started
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class DiveList {
 public:
  void sign(int divers) {
    const std::lock_guard lock(mutex_);
    down_ += divers;
  }
  void sign_off() {
    const std::lock_guard lock(mutex_);
    if (--down_ == 0) all_up_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    all_up_.wait(lock, [this] { return down_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_up_;
  int down_ = 0;
};

struct Catch {
  std::mutex mutex;
  int fish = 0;
  void add() {
    const std::lock_guard lock(mutex);
    ++fish;  // [last]
  }
  int count() {
    const std::lock_guard lock(mutex);
    return fish;  // [first]
  }
};

int main() {
  Catch catch_;
  DiveList list;
  std::vector<std::thread> divers;
  for (int i = 0; i < 2; ++i) {
#ifdef FIXED
    list.sign(1);
#endif
    divers.emplace_back([&] {
#ifndef FIXED
      list.sign(1);
#endif
      catch_.add();
      list.sign_off();
    });
  }
  list.wait();
  assert(catch_.count() == 2);
  for (std::thread& diver : divers) diver.join();
}
