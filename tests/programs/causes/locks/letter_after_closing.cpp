// Whoever brings a letter asks whether the office is open without its lock. The clerk sees that it
// is closed, and that there are no letters, and goes home; then the letter is put in.
// cause: put-too-late
// object: office.letters_
// says: look at office.closed_ (letter_after_closing.cpp:21) with office.mutex_ held
// fails: a std::future
// never: letters_.c
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <queue>
#include <thread>

class Office {
 public:
  bool send(int postage) {
    std::promise<int> stamp;
    std::future<int> stamped = stamp.get_future();
#ifndef FIXED
    if (closed_) return false;
#endif
    {
      const std::lock_guard lock(mutex_);
#ifdef FIXED
      if (closed_) return false;
#endif
      letters_.push({postage, std::move(stamp)});  // [first]
    }
    came_.notify_one();
    return stamped.get() == postage + 1;  // [last]
  }
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      came_.wait(lock, [&] { return closed_ || !letters_.empty(); });
      if (letters_.empty()) return;
      Letter letter = std::move(letters_.front());
      letters_.pop();
      lock.unlock();
      letter.stamp.set_value(letter.postage + 1);
      lock.lock();
    }
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    came_.notify_all();
  }

 private:
  struct Letter {
    int postage;
    std::promise<int> stamp;
  };
  std::mutex mutex_;
  std::condition_variable came_;
  std::queue<Letter> letters_;
  std::atomic<bool> closed_{false};
} office;

int main() {
  std::thread clerk([] { office.serve(); });
  std::thread sender([] { office.send(80); });
  std::thread porter([] { office.close(); });
  clerk.join();
  sender.join();
  porter.join();
}
