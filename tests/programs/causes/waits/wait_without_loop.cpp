// The consumer waits with "if": another one takes the job before the woken one has the lock.
// cause: not-checked-after-wait
// object: jobs
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable added;
int jobs = 0;

void consume() {
  std::unique_lock lock(mutex);
#ifdef FIXED
  while (jobs == 0) added.wait(lock);
#else
  if (jobs == 0) added.wait(lock);  // [first]
#endif
  assert(jobs > 0);  // [last]
  --jobs;
}

void produce() {
  for (int i = 0; i < 2; ++i) {
    const std::lock_guard lock(mutex);
    ++jobs;
    added.notify_one();
  }
}

int main() {
  std::thread one(consume);
  std::thread two(consume);
  produce();
  one.join();
  two.join();
}
