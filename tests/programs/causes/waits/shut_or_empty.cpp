// A baker waits if there is no dough and the shop is not shut, looks only whether it is shut after
// that, and takes the dough that another one has taken.
// cause: not-checked-after-wait
// object: shop.dough_
// says: did not check again
// seen: in a loop
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Shop {
 public:
  void knead() {
    {
      const std::lock_guard lock(mutex_);
      dough_.push_back(1);
    }
    ready_.notify_all();
  }
  void shut() {
    {
      const std::lock_guard lock(mutex_);
      shut_ = true;
    }
    ready_.notify_all();
  }
  void bake() {
    std::unique_lock lock(mutex_);
#ifdef FIXED
    while (dough_.empty() && !shut_) ready_.wait(lock);
#else
    if (dough_.empty() && !shut_) ready_.wait(lock);  // [first]
#endif
    if (shut_ && dough_.empty()) return;
    assert(!dough_.empty());  // [last]
    dough_.pop_front();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<int> dough_;
  bool shut_ = false;
};

int main() {
  Shop shop;
  std::thread one([&] { shop.bake(); });
  std::thread two([&] { shop.bake(); });
  shop.knead();
  shop.shut();
  one.join();
  two.join();
}
