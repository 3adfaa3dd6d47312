// A listener is told once more after it has left: the news went out to a copy of the list.
// cause: came-between
// object: listener.open
// says: is a copy
// says: until calls that others have begun before have returned
// also: -O0
#include <cassert>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

class News {
 public:
  int join(std::function<void(int)> listener) {
    const std::lock_guard lock(mutex_);
    listeners_[++last_] = std::move(listener);
    return last_;
  }
#ifdef FIXED
  void leave(int id) {
    const std::lock_guard telling(telling_);
    const std::lock_guard lock(mutex_);
    listeners_.erase(id);
  }
#else
  void leave(int id) {
    const std::lock_guard lock(mutex_);
    listeners_.erase(id);
  }
#endif
  void tell(int news) {
#ifdef FIXED
    const std::lock_guard telling(telling_);
#endif
    std::vector<std::function<void(int)>> all;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [id, listener] : listeners_) all.push_back(listener);  // [first]
    }
    for (const auto& listener : all) listener(news);
  }

 private:
  std::mutex mutex_;
  std::mutex telling_;
  std::map<int, std::function<void(int)>> listeners_;
  int last_ = 0;
};

struct Listener {
  std::mutex mutex;
  bool open = true;
  int heard = 0;
};

int main() {
  News news;
  Listener listener;
  const int id = news.join([&](int one) {
    const std::lock_guard lock(listener.mutex);
    assert(listener.open);  // [last]
    listener.heard += one;
  });
  std::thread source([&] { news.tell(1); });
  news.leave(id);
  {
    const std::lock_guard lock(listener.mutex);
    listener.open = false;
  }
  source.join();
}
