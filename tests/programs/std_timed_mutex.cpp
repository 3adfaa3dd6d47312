// expect: passed
// std::timed_mutex and recursive_timed_mutex: try_lock_for and try_lock_until, which succeed or
// time out.
#include <chrono>
#include <mutex>
#include <thread>

#include "check.h"

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using System = std::chrono::system_clock;

namespace {

template <class Mutex>
void exercise(Mutex& mutex) {
  mutex.lock();
  std::thread([&mutex] {
    CHECK(!mutex.try_lock());
    auto before = Steady::now();
    CHECK(!mutex.try_lock_for(20ms));
    CHECK(Steady::now() - before >= 20ms);
    CHECK(!mutex.try_lock_until(Steady::now() + 20ms));
    CHECK(!mutex.try_lock_until(System::now() + 20ms));
    CHECK(!mutex.try_lock_until(Steady::now() - 1s));
  }).join();
  std::thread waiter([&mutex] {
    CHECK(mutex.try_lock_for(60s));
    mutex.unlock();
    CHECK(mutex.try_lock_until(System::now() + 60s));
    mutex.unlock();
  });
  std::this_thread::yield();
  mutex.unlock();
  waiter.join();
}

}  // namespace

int main() {
  std::timed_mutex plain;
  exercise(plain);
  std::recursive_timed_mutex recursive;
  exercise(recursive);
  recursive.lock();
  CHECK(recursive.try_lock_for(1ms));
  recursive.unlock();
  recursive.unlock();
}
