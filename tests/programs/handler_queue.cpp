// expect: passed
// output: 7 handlers
// An event loop's queue: run() takes a handler, releases the lock while the handler runs, and takes
// the lock again. A handler may post another one.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace {

class Loop {
 public:
  void post(std::function<void()> handler) {
    std::lock_guard<std::mutex> hold(mutex_);
    ++unfinished_;
    handlers_.push_back(std::move(handler));
    changed_.notify_one();
  }
  // Returns when no handler is waiting or running.
  void run() {
    std::unique_lock<std::mutex> hold(mutex_);
    while (unfinished_ > 0) {
      if (handlers_.empty()) {
        changed_.wait(hold);
        continue;
      }
      const std::function<void()> handler = std::move(handlers_.front());
      handlers_.pop_front();
      hold.unlock();
      handler();
      hold.lock();
      ++done_;
      if (--unfinished_ == 0) changed_.notify_all();
    }
  }
  int done() {
    std::lock_guard<std::mutex> hold(mutex_);
    return done_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> handlers_;
  int unfinished_ = 0;
  int done_ = 0;
};

Loop loop;

}  // namespace

int main() {
  for (int i = 0; i < 3; ++i) loop.post([] { loop.post([] {}); });
  loop.post([] {});
  std::thread one([] { loop.run(); }), two([] { loop.run(); });
  one.join();
  two.join();
  std::printf("%d handlers\n", loop.done());
}
