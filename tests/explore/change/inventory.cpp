// Clerks take items out of an inventory and write a journal. The change (inventory.patch) lets a
// clerk leave without waiting for the lock when nothing is left. Since then a clerk may look at one
// item count and take from another.
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

class Inventory {
 public:
  explicit Inventory(int items) : items_(items) {}

  bool take() {
    if (items_ == 0) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    --items_;
    return true;
  }

  int items() const { return items_; }

 private:
  std::mutex mutex_;
  std::atomic<int> items_;
};

Inventory inventory(1);
Journal journal;

void clerk(int number) {
  const bool taken = inventory.take();
  for (int line = 0; line < 3; ++line) journal.write(taken ? number : -number);
}

int main() {
  std::thread one(clerk, 1);
  std::thread two(clerk, 2);
  one.join();
  two.join();
  assert(journal.lines() == 6);
  assert(inventory.items() >= 0);
}
