// Whoever holds the lock of an object last may delete it. BROKEN: the one that deletes does not
// wait until the other one has given the lock back.
#include <mutex>
#include <thread>

struct Completion {
  std::mutex mutex;
  bool done = false;
};

int main() {
  auto* completion = new Completion;
  std::thread worker([completion] {
    const std::lock_guard<std::mutex> lock(completion->mutex);
    completion->done = true;
  });
#ifdef BROKEN
  bool done = false;
  while (!done) {
    if (!completion->mutex.try_lock()) continue;
    done = completion->done;
    completion->mutex.unlock();
    if (!done) break;
  }
  delete completion;
  worker.join();
#else
  worker.join();
  delete completion;
#endif
}
