// A producer hands one item over and waits for the receipt. Since the change (hand_over.patch) the
// consumer signs the receipt before it has the lock, and a second consumer can sign for the same
// item.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Journal {
 public:
  void write(int what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_ = what;
    ++lines_;
  }

  int lines() const { return lines_; }

 private:
  std::mutex mutex_;
  std::atomic<int> last_ = 0;
  std::atomic<int> lines_ = 0;
};

class Desk {
 public:
  void put() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++items_;
  }

  void take() {
    if (items_ == 0) return;
    ++receipts_;
    const std::lock_guard<std::mutex> lock(mutex_);
    --items_;
  }

  bool in_order() const { return receipts_ <= 1 && items_ >= 0; }

 private:
  std::mutex mutex_;
  std::atomic<int> items_ = 0;
  std::atomic<int> receipts_ = 0;
};

Desk desk;
Journal journal;

void consumer(int number) {
  journal.write(number);
  desk.take();
  journal.write(number);
}

int main() {
  desk.put();
  std::thread one(consumer, 1);
  std::thread two(consumer, 2);
  one.join();
  two.join();
  assert(desk.in_order());
}
