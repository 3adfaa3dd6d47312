// A worker copies a list; main waits for it. If there is no memory for the copy, the worker gives
// up without saying so, and main waits for ever. -DFIXED: it says so in any case.
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

static std::mutex mutex;
static std::condition_variable done;
static bool finished = false;
static int* volatile copy = nullptr;  // the compiler leaves out what nobody can see

static void finish() {
  std::lock_guard lock(mutex);
  finished = true;
  done.notify_one();
}

static void work() {
  try {
    copy = new int[100]();
    delete[] copy;
  } catch (const std::bad_alloc&) {
#ifndef FIXED
    return;
#endif
  }
  finish();
}

int main() {
  std::thread* worker = nullptr;
  try {
    worker = new std::thread(work);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  std::unique_lock lock(mutex);
  done.wait(lock, [] { return finished; });
  lock.unlock();
  worker->join();
  delete worker;
}
