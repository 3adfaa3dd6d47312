// A logger with a list of appenders: append() goes through the list, add() and remove() change it.
// Any number of threads may append; appenders.mop keeps them apart from those that change the list.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

class Category {
 public:
  void append() {
    ++appending_;
    if (changing_ != 0) fail("the list changes while somebody appends");
    std::this_thread::yield();
    for (int appender : appenders_) written_ += appender;
    --appending_;
  }
  void add(int appender) {
    begin();
    appenders_.push_back(appender);
    std::this_thread::yield();
    --changing_;
  }
  void remove() {
    begin();
    if (!appenders_.empty()) appenders_.pop_back();
    std::this_thread::yield();
    --changing_;
  }

 private:
  void begin() {
    if (++changing_ != 1) fail("two threads change the list");
    if (appending_ != 0) fail("the list changes while somebody appends");
  }
  static void fail(const char* what) {
    std::puts(what);
    std::abort();
  }

  std::vector<int> appenders_{1};
  std::atomic<int> appending_{0};
  std::atomic<int> changing_{0};
  std::atomic<int> written_{0};
};

int main() {
  Category category;
  std::vector<std::thread> threads;
  threads.emplace_back([&] { category.append(); });
  threads.emplace_back([&] { category.append(); });
  threads.emplace_back([&] {
    category.add(2);
    category.remove();
  });
  category.remove();
  for (std::thread& thread : threads) thread.join();
}
