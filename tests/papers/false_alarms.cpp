// Correct code, of which Hammer et al. (2008) would say that units of work overlap, unless what a
// thread was created for, waits and the creation of threads are seen for what they are. Which one
// is the argument: entry, wait or fork.
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

class Box {
 public:
  __attribute__((noinline)) void put(int value) {
    std::lock_guard<std::mutex> lock(mutex_);
    value_ += value;
    filled_.notify_one();
  }
  __attribute__((noinline)) int take() {
    std::unique_lock<std::mutex> lock(mutex_);
    filled_.wait(lock, [&] { return value_ > 0; });
    return value_--;
  }
  int look() {
    std::lock_guard<std::mutex> lock(mutex_);
    return value_;
  }
  __attribute__((noinline)) void fill() {
    value_ = 1;
    std::thread other([this] { put(1); });
    other.join();
    value_ += 1;
  }

  std::mutex mutex_;
  std::condition_variable filled_;
  int value_ = 0;
};

Box box;

// Two rounds, each undivided: the thread as a whole is not.
__attribute__((noinline)) void rounds() {
  for (int i = 0; i < 2; ++i) {
    std::lock_guard<std::mutex> lock(box.mutex_);
    box.value_ += 1;
  }
}

// Not inlined, or take() would be what its thread was created for.
__attribute__((noinline)) void taking() { box.take(); }
__attribute__((noinline)) void putting() { box.put(1); }

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "entry";
  if (what == "fork") {
    box.fill();
  } else if (what == "wait") {
    std::thread taker(taking), putter(putting);
    taker.join();
    putter.join();
  } else {
    std::thread first(rounds), second(rounds);
    first.join();
    second.join();
  }
  return box.look() < 0;
}
