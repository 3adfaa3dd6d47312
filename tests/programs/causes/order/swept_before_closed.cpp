// A clerk takes what has come in, and then looks whether the office is closed: what came in between
// stays behind.
// cause: came-between
// object: office.closed_
// says: let T1 read office.closed_
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class Office {
 public:
  void bring(int letter) {
    const std::lock_guard lock(mutex_);
    letters_.push_back(letter);
  }
  void close() { closed_ = true; }
  void clear() {
    for (;;) {
#ifdef FIXED
      const bool closed = closed_;
#endif
      std::vector<int> taken;
      {
        const std::lock_guard lock(mutex_);
        taken.swap(letters_);  // [first]
      }
      cleared_ += static_cast<int>(taken.size());
#ifndef FIXED
      const bool closed = closed_;  // [last]
#endif
      if (closed) return;
      std::this_thread::yield();
    }
  }
  int cleared() const { return cleared_; }

 private:
  std::mutex mutex_;
  std::vector<int> letters_;
  std::atomic<bool> closed_{false};
  int cleared_ = 0;
};

int main() {
  Office office;
  std::thread clerk([&] { office.clear(); });
  office.bring(1);
  office.bring(2);
  office.close();
  clerk.join();
  assert(office.cleared() == 2);
}
