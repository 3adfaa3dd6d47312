// Told by a hub that holds its lock meanwhile, a session takes its own; another thread has the
// session's and asks the hub.
// cause: lock-order
// object: hub.mutex_
// seen: release hub.mutex_ before Session::Session::{lambda#1} is called
// never: in the same order
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Hub {
 public:
  void subscribe(std::function<void(int)> listener) {
    const std::lock_guard lock(mutex_);
    listeners_.push_back(std::move(listener));
  }
  void publish(int news) {
#ifdef FIXED
    std::vector<std::function<void(int)>> listeners;
    {
      const std::lock_guard lock(mutex_);
      listeners = listeners_;
    }
    for (const auto& listener : listeners) listener(news);
#else
    const std::lock_guard lock(mutex_);  // [first]
    for (const auto& listener : listeners_) listener(news);
#endif
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return listeners_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void(int)>> listeners_;
};

class Session {
 public:
  explicit Session(Hub& hub) : hub_(hub) {
    hub.subscribe([this](int news) { told(news); });
  }
  void told(int news) {
    const std::lock_guard lock(mutex_);  // [last]
    last_ = news;
  }
  std::size_t others() {
    const std::lock_guard lock(mutex_);
    return hub_.size() - 1;
  }

 private:
  Hub& hub_;
  std::mutex mutex_;
  int last_ = 0;
};

int main() {
  Hub hub;
  Session session(hub);
  std::thread feed([&] { hub.publish(7); });
  std::thread client([&] { session.others(); });
  feed.join();
  client.join();
}
