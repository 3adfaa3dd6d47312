// Two readers wait for letters. Since the change (mailbox.patch) they look once after a wait
// instead of waiting until there is a letter, and both can be woken for the same one.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Stamp {
 public:
  void press() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++pressed_;
  }

 private:
  std::mutex mutex_;
  int pressed_ = 0;
};

class Mailbox {
 public:
  void put() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++letters_;
    arrived_.notify_all();
  }

  void take() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (letters_ == 0) arrived_.wait(lock);
    assert(letters_ > 0);
    --letters_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  int letters_ = 0;
};

Mailbox mailbox;
Stamp stamp;

void reader() {
  mailbox.take();
  stamp.press();
}

void writer() {
  stamp.press();
  mailbox.put();
  stamp.press();
  mailbox.put();
}

int main() {
  std::thread one(reader);
  std::thread two(reader);
  std::thread three(writer);
  one.join();
  two.join();
  three.join();
}
