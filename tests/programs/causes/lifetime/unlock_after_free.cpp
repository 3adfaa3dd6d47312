// A thread says under a lock that it is done; who looks without it frees the lock meanwhile.
// cause: use-after-free
// object: Task
// says: without that lock
// never: shared_ptr
#include <atomic>
#include <mutex>
#include <thread>

struct Task {
  std::mutex mutex;
  int result = 0;
  std::atomic<bool> done{false};

  void run() {
    std::lock_guard<std::mutex> hold(mutex);
    result = 42;
    done = true;
  }  // [last]

  bool is_done() {
#ifdef FIXED
    std::lock_guard<std::mutex> hold(mutex);
#endif
    return done;
  }
};

int main() {
  Task* task = new Task;
  std::thread worker([task] { task->run(); });
  while (!task->is_done()) std::this_thread::yield();
  delete task;  // [first]
  worker.join();
}
