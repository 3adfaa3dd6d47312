// expect: passed
// Cancellation and pthread_exit unwind C++ frames: destructors run, catch (...) sees them and must
// rethrow, and a lock guard releases its mutex.
#include <condition_variable>
#include <mutex>

#include "check.h"

namespace {

std::mutex lock;
std::condition_variable cond;
int destroyed, caught;

struct Counted {
  ~Counted() { ++destroyed; }
};

void wait_for_ever() {
  Counted counted;
  std::unique_lock<std::mutex> hold(lock);
  for (;;) cond.wait(hold);
}

void* be_cancelled(void*) {
  Counted counted;
  try {
    wait_for_ever();
  } catch (...) {
    ++caught;
    throw;
  }
  return nullptr;
}

void* leave(void*) {
  Counted counted;
  try {
    std::lock_guard<std::mutex> hold(lock);
    pthread_exit(reinterpret_cast<void*>(11));
  } catch (...) {
    ++caught;
    throw;
  }
}

}  // namespace

int main() {
  pthread_t thread = start(be_cancelled, nullptr);
  settle();
  CHECK_EQ(pthread_cancel(thread), 0);
  CHECK(join(thread) == PTHREAD_CANCELED);
  CHECK_EQ(destroyed, 2);
  CHECK_EQ(caught, 1);
  CHECK(lock.try_lock());
  lock.unlock();

  CHECK_EQ(reinterpret_cast<long>(join(start(leave, nullptr))), 11);
  CHECK_EQ(destroyed, 3);
  CHECK_EQ(caught, 2);
  CHECK(lock.try_lock());
  lock.unlock();
}
