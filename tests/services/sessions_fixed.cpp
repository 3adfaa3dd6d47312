// A typical service: a pool of workers that take tasks from a queue, and a table that is looked up
// and then filled. The pool is right, and so is Sessions::get(), which holds the lock from the look
// to the put.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) workers_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      const std::lock_guard guard(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  void submit(std::function<void()> task) {
    {
      const std::lock_guard guard(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock guard(mutex_);
        changed_.wait(guard, [this] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

struct Session {
  std::string user;
};

class Sessions {
 public:
  std::shared_ptr<Session> get(const std::string& user) {
    const std::lock_guard guard(mutex_);
    const auto at = table_.find(user);
    if (at != table_.end()) return at->second;
    ++created_;
    return table_[user] = std::make_shared<Session>(Session{user});
  }
  int created() {
    const std::lock_guard guard(mutex_);
    return created_;
  }
  int size() {
    const std::lock_guard guard(mutex_);
    return static_cast<int>(table_.size());
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>> table_;
  int created_ = 0;
};

int main() {
  Sessions sessions;
  {
    Pool pool(2);
    for (int i = 0; i < 4; ++i) pool.submit([&sessions] { sessions.get("ann"); });
  }
  assert(sessions.created() == sessions.size());
}
