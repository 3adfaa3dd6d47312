// Which threads are blocked, by the kernel's word alone.
#include "prevent/monitor/blocked_check.hpp"

#include <gtest/gtest.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "prevent/monitor/wait.hpp"
#include "raddle/schedule_gtest.hpp"

namespace raddle::monitor {
namespace {

// A thread that does something, and its number.
class Other {
 public:
  template <class Body>
  explicit Other(Body body)
      : thread_([this, body] {
          id_ = pid_t(syscall(SYS_gettid));
          body();
        }) {
    while (id_ == 0) std::this_thread::yield();
  }
  ~Other() { thread_.join(); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  pid_t id() const { return id_; }
  void await(Activity activity) const {
    while (look_at(id_).activity != activity) std::this_thread::yield();
  }

 private:
  std::atomic<pid_t> id_{0};
  std::thread thread_;
};

TEST(BlockedCheck, OneThatWaitsIsBlockedAndOneThatRunsOrSleepsIsNot) {
  std::atomic<bool> enough{false};
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const Other runs([&] {
    while (!enough) {
    }
  });
  const Other sleeps([&] {
    while (!enough) usleep(1000);
  });
  const Other waits([&] { sem_wait(&semaphore); });
  waits.await(Activity::waits);
  EXPECT_TRUE(blocked_now(waits.id(), {}, nullptr));
  EXPECT_FALSE(blocked_now(runs.id(), {}, nullptr));
  EXPECT_FALSE(blocked_now(sleeps.id(), {}, nullptr));
  enough = true;
  sem_post(&semaphore);
}

TEST(BlockedCheck, WhoeverRanSinceTheLookIsNotStillBlocked) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const Other waits([&] {
    sem_wait(&semaphore);
    sem_wait(&semaphore);
  });
  waits.await(Activity::waits);
  BlockedCheck check(waits.id());
  while (check.look({}, nullptr) != BlockedCheck::Answer::yes) {
  }
  EXPECT_TRUE(check.still());
  sem_post(&semaphore);
  while (check.still()) {
  }
  // It waits in the same place again, with the same arguments.
  while (check.look({}, nullptr) != BlockedCheck::Answer::yes) {
  }
  sem_post(&semaphore);
}

TEST(BlockedCheck, AMutexBlocksUnlessItsOwnerWillGiveItBack) {
  std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  const Other waits([&] { const std::lock_guard<std::mutex> own(mutex); });
  waits.await(Activity::waits);
  EXPECT_FALSE(blocked_now(waits.id(), {}, nullptr));
  const pid_t self = pid_t(syscall(SYS_gettid));
  EXPECT_TRUE(blocked_now(waits.id(), {self}, nullptr));
  lock.unlock();
}

// Nobody has looked at the thread before the event that is checked.
TEST(BlockedCheck, ACheckedScheduleLooksOnce) {
  const Schedule schedule("[beforeWait] -> afterwards", Schedule::checking);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::atomic<bool> passed{false};
  const Other waits([&] {
    RADDLE_EVENT(beforeWait);
    passed = true;
    sem_wait(&semaphore);
  });
  while (!passed) std::this_thread::yield();
  waits.await(Activity::waits);
  RADDLE_EVENT(afterwards);
  sem_post(&semaphore);
}

}  // namespace
}  // namespace raddle::monitor
