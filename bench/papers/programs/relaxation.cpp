// Successive over-relaxation of a grid (sor; Park and Sen 2008, Table 1): threads meet at a barrier
// after each colour. The barrier is a lock and a condition, taken once a phase; nothing to warn of.
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++arrived_ == threads_) {
      arrived_ = 0;
      ++round_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [&] { return round_ != round; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  const int threads_;
  int arrived_ = 0;
  int round_ = 0;
};

constexpr std::size_t kSize = 8;
std::array<double, kSize + 2> row;
Barrier barrier(2);

void relax(std::size_t from, std::size_t to) {
  for (std::size_t colour = 0; colour < 4; ++colour) {
    for (std::size_t i = from; i < to; ++i) {
      if (i % 2 == colour % 2) row[i] += 0.5 * (row[i - 1] + row[i + 1] - 2 * row[i]);
    }
    barrier.wait();
  }
}

int main() {
  row[0] = 1;
  std::thread first(relax, 1, kSize / 2 + 1);
  std::thread second(relax, kSize / 2 + 1, kSize + 1);
  first.join();
  second.join();
  return row[1] > 0 ? 0 : 1;
}
