// Shutting down sets the flag and tells nobody.
// cause: missing-notify
// object: worker.changed
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<int> jobs;
  bool stopping = false;

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      while (jobs.empty() && !stopping) changed.wait(lock);  // [last]
      if (stopping) return;
      jobs.pop_front();
    }
  }
  void add(int job) {
    const std::lock_guard lock(mutex);
    jobs.push_back(job);
    changed.notify_one();
  }
  void stop() {
    const std::lock_guard lock(mutex);
    stopping = true;  // [first]
#ifdef FIXED
    changed.notify_all();
#endif
  }
} worker;

int main() {
  std::thread thread([] { worker.run(); });
  worker.add(1);
  worker.stop();
  thread.join();
}
