// One thread changes a value under a lock, in the way that the argument names; the other one
// changes it without. Whatever says what is held when the value is used must say the same.
#include <pthread.h>

#include <cassert>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>

class Config {
 public:
  void by_guard() {
    std::lock_guard<std::mutex> hold(mutex_);
    update();
  }
  void by_unique_lock() {
    std::unique_lock<std::mutex> hold(mutex_, std::defer_lock);
    hold.lock();
    update();
  }
  void by_scoped_lock() {
    std::scoped_lock hold(mutex_, other_);
    update();
  }
  void by_recursion() {
    std::lock_guard<std::recursive_mutex> outer(recursive_);
    {
      std::lock_guard<std::recursive_mutex> inner(recursive_);
    }
    update();
  }
  void for_reading() {
    std::shared_lock<std::shared_mutex> hold(shared_);
    update();
  }
  void for_writing() {
    std::unique_lock<std::shared_mutex> hold(shared_);
    update();
  }
  void by_pthread() {
    pthread_mutex_lock(&plain_);
    update();
    pthread_mutex_unlock(&plain_);
  }
  void without() { update(); }
  int value() const { return value_; }

 private:
  void update() {
    const int seen = value_;
    value_ = seen + 1;
  }
  std::mutex mutex_, other_;
  std::recursive_mutex recursive_;
  std::shared_mutex shared_;
  pthread_mutex_t plain_ = PTHREAD_MUTEX_INITIALIZER;
  int value_ = 0;
};

// Takes a lock before main() begins, and keeps it.
struct Early {
  Early() { mutex.lock(); }
  std::mutex mutex;
};

Config config;
Early early;

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "guard";
  if (std::strcmp(how, "early") != 0) early.mutex.unlock();
  std::thread other([] { config.without(); });
  if (std::strcmp(how, "guard") == 0) config.by_guard();
  if (std::strcmp(how, "unique") == 0) config.by_unique_lock();
  if (std::strcmp(how, "scoped") == 0) config.by_scoped_lock();
  if (std::strcmp(how, "recursive") == 0) config.by_recursion();
  if (std::strcmp(how, "reading") == 0) config.for_reading();
  if (std::strcmp(how, "writing") == 0) config.for_writing();
  if (std::strcmp(how, "pthread") == 0) config.by_pthread();
  if (std::strcmp(how, "early") == 0) config.without();
  other.join();
  assert(config.value() == 2);
}
