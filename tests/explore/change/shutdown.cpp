// A service takes work until it is closed; whoever closes it takes what is left. Since the change
// (shutdown.patch) the question whether it is closed comes before the lock, and work that comes at
// the wrong moment is neither done nor refused.
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

class Service {
 public:
  bool submit() {
    if (closed_) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++waiting_;
    return true;
  }

  int close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    const int left = waiting_;
    waiting_ = 0;
    return left;
  }

  int waiting() const { return waiting_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> closed_ = false;
  std::atomic<int> waiting_ = 0;
};

Service service;
Journal journal;

void client(int number) {
  const bool taken = service.submit();
  journal.write(taken ? number : -number);
  journal.write(number);
}

void closer() {
  journal.write(0);
  service.close();
  journal.write(0);
}

int main() {
  std::thread one(client, 1);
  std::thread two(client, 2);
  std::thread three(closer);
  one.join();
  two.join();
  three.join();
  assert(service.waiting() == 0);
}
