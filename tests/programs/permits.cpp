// expect: passed
// output: 1 permit
// A semaphore of a mutex and a condition. A thread that takes a permit may have to wait for the
// other one, so its first critical section is over when it waits, and half done.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
int permits = 1;

void acquire() {
  std::unique_lock<std::mutex> hold(mutex);
  changed.wait(hold, [] { return permits > 0; });
  --permits;
}

void release() {
  std::lock_guard<std::mutex> hold(mutex);
  ++permits;
  changed.notify_one();
}

void work() {
  acquire();
  release();
}

}  // namespace

int main() {
  std::thread a(work);
  std::thread b(work);
  a.join();
  b.join();
  std::printf("%d permit\n", permits);
}
