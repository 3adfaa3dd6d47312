// One thread prepares a message and raises a flag, others read it when the flag is up. Since the
// change (publish.patch) the flag goes up first.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Traffic {
 public:
  void pass() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++passed_;
  }

 private:
  std::mutex mutex_;
  int passed_ = 0;
};

class Message {
 public:
  void prepare(int text) {
    ready_ = 1;
    text_ = text;
  }

  // 0: there is none yet.
  int text() const { return ready_ == 1 ? check(text_) : 0; }

 private:
  static int check(int text) {
    assert(text != 0);
    return text;
  }

  std::atomic<int> ready_ = 0;
  std::atomic<int> text_ = 0;
};

Message message;
Traffic traffic;

void sender() {
  traffic.pass();
  message.prepare(7);
  traffic.pass();
  traffic.pass();
}

void receiver() {
  traffic.pass();
  message.text();
  traffic.pass();
}

int main() {
  std::thread one(sender);
  std::thread two(receiver);
  one.join();
  two.join();
}
