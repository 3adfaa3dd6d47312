// expect: passed
// The fixed twin of lost_wakeup.cpp: the waiter looks before it waits.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable ready;
bool done;

int main() {
  std::thread waiter([] {
    std::unique_lock<std::mutex> hold(lock);
    ready.wait(hold, [] { return done; });
  });
  std::thread notifier([] {
    std::lock_guard<std::mutex> hold(lock);
    done = true;
    ready.notify_one();
  });
  waiter.join();
  notifier.join();
}
