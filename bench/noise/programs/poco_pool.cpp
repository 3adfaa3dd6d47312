// library: Poco
// package: libpoco-dev
// link: -lPocoFoundation
// Workers of a thread pool take notifications from a queue until it is empty.
#include <Poco/AutoPtr.h>
#include <Poco/Event.h>
#include <Poco/Mutex.h>
#include <Poco/Notification.h>
#include <Poco/NotificationQueue.h>
#include <Poco/Runnable.h>
#include <Poco/ThreadPool.h>

#include <cassert>

struct Number : Poco::Notification {
  explicit Number(int n) : value(n) {}
  const int value;
};

struct Worker : Poco::Runnable {
  Worker(Poco::NotificationQueue& from, Poco::FastMutex& lock, int& into)
      : queue(from), mutex(lock), sum(into) {}
  void run() override {
    for (;;) {
      Poco::AutoPtr<Poco::Notification> next(queue.waitDequeueNotification());
      if (next.isNull()) return;  // wakeUpAll()
      const Number* number = dynamic_cast<const Number*>(next.get());
      if (number->value == 0) return;
      Poco::FastMutex::ScopedLock hold(mutex);
      sum += number->value;
    }
  }
  Poco::NotificationQueue& queue;
  Poco::FastMutex& mutex;
  int& sum;
};

int main() {
  Poco::NotificationQueue queue;
  Poco::FastMutex mutex;
  int sum = 0;
  Worker one(queue, mutex, sum), two(queue, mutex, sum);
  Poco::ThreadPool pool(2, 2);
  pool.start(one);
  pool.start(two);
  for (int i = 1; i <= 5; ++i) queue.enqueueNotification(new Number(i));
  queue.enqueueNotification(new Number(0));
  queue.enqueueNotification(new Number(0));
  pool.joinAll();
  assert(queue.empty());
  Poco::FastMutex::ScopedLock hold(mutex);
  assert(sum == 15);
}
