// Schedules without control, `native NAME`: with libraddle.so preloaded, linked (native_linked), or
// not there at all. `blind` makes the kernel's view useless: no file can be opened any more.
#include <raddle/schedule.hpp>

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

using raddle::Schedule;

void make_blind() {
  const int next = dup(0);
  close(next);
  const rlimit limit{rlim_t(next), rlim_t(next)};
  const int error = setrlimit(RLIMIT_NOFILE, &limit);
  assert(error == 0);
  (void)error;
}

void conditions() {
  Schedule schedule("[beforeWait+] -> beforeSet+");
  std::mutex mutex;
  std::condition_variable changed;
  int wanted = 0;
  int waits = 0;
  std::thread waiter([&] {
    for (int i = 1; i <= 3; ++i) {
      RADDLE_EVENT(beforeWait);
      std::unique_lock<std::mutex> lock(mutex);
      ++waits;
      changed.wait(lock, [&] { return wanted == i; });
    }
  });
  for (int i = 1; i <= 3; ++i) {
    RADDLE_EVENT(beforeSet);
    const std::lock_guard<std::mutex> lock(mutex);
    assert(waits == i);
    wanted = i;
    changed.notify_all();
  }
  waiter.join();
}

void semaphores() {
  Schedule schedule("[beforeFirst] -> post, [beforeSecond] -> postAgain");
  sem_t first;
  sem_t second;
  sem_init(&first, 0, 0);
  sem_init(&second, 0, 0);
  std::thread waiter([&] {
    RADDLE_EVENT(beforeFirst);
    sem_wait(&first);
    RADDLE_EVENT(beforeSecond);
    sem_wait(&second);
  });
  RADDLE_EVENT(post);
  sem_post(&first);
  RADDLE_EVENT(postAgain);
  int value = -1;
  sem_getvalue(&first, &value);
  assert(value == 0);
  sem_post(&second);
  waiter.join();
}

// The semaphore is there already, or comes while the thread begins to wait: then it does not.
void woken() {
  Schedule schedule("[beforeWait] -> last");
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  sem_t other;
  sem_init(&other, 0, 0);
  std::atomic<bool> slept{false};
  std::thread waiter([&] {
    RADDLE_EVENT(beforeWait);
    sem_wait(&semaphore);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    slept = true;
    sem_wait(&other);
  });
  sem_post(&semaphore);
  RADDLE_EVENT(last);
  assert(slept);
  sem_post(&other);
  waiter.join();
}

// Not intercepted: the kernel says it.
void futex() {
  Schedule schedule("[beforeWait] -> wake");
  std::atomic<int> word{0};
  std::thread waiter([&] {
    RADDLE_EVENT(beforeWait);
    while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, nullptr);
  });
  RADDLE_EVENT(wake);
  word = 1;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
  waiter.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc > 2 && std::strcmp(argv[2], "blind") == 0) make_blind();
  const char* name = argv[1];
  for (int i = 0; i < 50; ++i) {
    if (std::strcmp(name, "conditions") == 0) {
      conditions();
    } else if (std::strcmp(name, "semaphores") == 0) {
      semaphores();
    } else if (std::strcmp(name, "woken") == 0) {
      woken();
    } else if (std::strcmp(name, "futex") == 0) {
      futex();
    } else {
      return 2;
    }
  }
}
