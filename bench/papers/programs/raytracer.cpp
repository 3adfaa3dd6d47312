// A ray tracer's checksum (raytracer of the Java Grande benchmarks, as Lai, Cheung and Chan (2010)
// describe what goes wrong): each thread adds to the sum under a lock of its own, which protects
// nothing. Rows are handed out correctly.
#include <array>
#include <mutex>
#include <stdexcept>
#include <thread>

class Rows {
 public:
  int next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return next_++;
  }

 private:
  std::mutex mutex_;
  int next_ = 0;
};

class Checksum {
 public:
  void add(std::mutex& own, long value) {
    const std::lock_guard<std::mutex> lock(own);
    const long before = sum_;
    std::this_thread::yield();
    sum_ = before + value;
  }
  long sum() const { return sum_; }

 private:
  long sum_ = 0;
};

int main() {
  constexpr int kRows = 4;
  Rows rows;
  Checksum checksum;
  std::array<std::mutex, 2> locks;
  const auto render = [&](std::mutex& own) {
    for (int row = rows.next(); row < kRows; row = rows.next()) checksum.add(own, row + 1);
  };
  std::thread first([&] { render(locks[0]); });
  std::thread second([&] { render(locks[1]); });
  first.join();
  second.join();
  if (checksum.sum() != 10) throw std::logic_error("wrong checksum");
}
