// The kernels of three web crawlers of Park and Sen's Table 1, and the reasons of section 5.4 for
// which their warnings are no errors, and their errors no bugs. Compile with -DCRAWLER=1 (hedc), 2
// (weblech) or 3 (jspider).
//
//   hedc      a block takes a lock twice before there is another thread. Tasks are cancelled
//             without a lock: a race, which has no locking pattern
//   weblech   all blocks that take a lock twice are under another lock that they share
//   jspider   both; moreover, the function of a thread is one region of a lock, and a region waits
//             for a condition and takes another lock twice
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class Queue {
 public:
  void put(int url) {
    const std::lock_guard<std::mutex> lock(mutex_);
    urls_.push_back(url);
    filled_.notify_one();
  }
  int take() {
    std::unique_lock<std::mutex> lock(mutex_);
    filled_.wait(lock, [&] { return !urls_.empty(); });
    const int url = urls_.front();
    urls_.pop_front();
    return url;
  }
  std::size_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return urls_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<int> urls_;
};

class Visited {
 public:
  bool contains(int url) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return (urls_ >> url & 1) != 0;
  }
  void add(int url) {
    const std::lock_guard<std::mutex> lock(mutex_);
    urls_ |= 1U << url;
  }

 private:
  std::mutex mutex_;
  unsigned urls_ = 0;
};

class Crawler {
 public:
  // Before there is another thread.
  void initialize() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!visited_.contains(0)) visited_.add(0);
    if (queue_.size() == 0) queue_.put(1);
    queue_.put(2);
  }

  // Everybody who looks at `visited_` holds `mutex_`.
  void visit(int url) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!visited_.contains(url)) visited_.add(url);
  }
  void visit_both(int first, int second) {
    const std::lock_guard<std::mutex> lock(mutex_);
    visited_.add(first);
    visited_.add(second);
  }

  int take() { return queue_.take(); }
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

  void count() {
    const std::lock_guard<std::mutex> lock(count_mutex_);
    ++counted_;
  }
  // Waits inside its region, so nobody can have meant it to be atomic.
  void wait_for(int number) {
    std::unique_lock<std::mutex> lock(finished_mutex_);
    count();
    while (finished_ < number) finished_changed_.wait(lock);
    count();
  }
  void finish() {
    const std::lock_guard<std::mutex> lock(finished_mutex_);
    ++finished_;
    finished_changed_.notify_all();
  }

  // The whole of a thread is one region.
  void run_locked(std::mutex& whole) {
    const std::lock_guard<std::mutex> lock(whole);
    count();
    visit(take());
    count();
    finish();
  }

 private:
  std::mutex mutex_;
  Queue queue_;
  Visited visited_;
  bool cancelled_ = false;
  std::mutex count_mutex_;
  int counted_ = 0;
  std::mutex finished_mutex_;
  std::condition_variable finished_changed_;
  int finished_ = 0;
};

int main() {
  Crawler crawler;
  crawler.initialize();
#if CRAWLER == 3
  std::mutex one;
  std::mutex two;
  std::thread first([&] { crawler.run_locked(one); });
  std::thread second([&] { crawler.run_locked(two); });
  crawler.wait_for(2);
#else
  const auto work = [&] {
    const int url = crawler.take();
    if (CRAWLER == 1 && crawler.cancelled()) return;
    if (CRAWLER == 2) {
      crawler.visit(url);
      crawler.visit_both(url, url + 1);
    }
    crawler.count();
  };
  std::thread first(work);
  std::thread second(work);
  if (CRAWLER == 1) crawler.cancel();
#endif
  first.join();
  second.join();
}
