// library: Abseil
// package: libabsl-dev
// pkg-config: absl_synchronization absl_time absl_base
// BlockingCounter, Notification, call_once, a reader-writer lock, and a wait that runs out of time.
#include <absl/base/call_once.h>
#include <absl/synchronization/blocking_counter.h>
#include <absl/synchronization/mutex.h>
#include <absl/synchronization/notification.h>
#include <absl/time/time.h>

#include <cassert>
#include <thread>

int main() {
  absl::Mutex mutex;
  int value = 0, made = 0;
  absl::once_flag once;
  absl::Notification go;
  absl::BlockingCounter finished(2);
  const auto work = [&] {
    go.WaitForNotification();
    absl::call_once(once, [&] { ++made; });
    {
      absl::WriterMutexLock hold(&mutex);
      ++value;
    }
    finished.DecrementCount();
  };
  std::thread one(work), two(work);
  assert(!go.WaitForNotificationWithTimeout(absl::Milliseconds(1)));
  go.Notify();
  finished.Wait();
  {
    absl::ReaderMutexLock hold(&mutex);
    assert(value == 2 && made == 1);
  }
  absl::CondVar never;
  mutex.Lock();
  assert(never.WaitWithTimeout(&mutex, absl::Milliseconds(2)));  // nobody signals
  mutex.Unlock();
  one.join();
  two.join();
}
