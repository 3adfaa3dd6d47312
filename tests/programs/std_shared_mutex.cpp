// expect: passed
// std::shared_mutex and shared_timed_mutex: shared together, exclusive alone, timed on both sides.
#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "check.h"

using namespace std::chrono_literals;

namespace {

template <class Mutex>
void exercise(Mutex& mutex) {
  std::latch both(2);  // opens only if two readers are in at the same time
  std::thread pair[2];
  for (auto& thread : pair) {
    thread = std::thread([&] {
      std::shared_lock<Mutex> hold(mutex);
      both.arrive_and_wait();
    });
  }
  for (auto& thread : pair) thread.join();

  std::atomic<int> readers{0}, writers{0};
  int value = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 2; ++round) {
        if (i % 2 == 0) {
          std::shared_lock<Mutex> hold(mutex);
          ++readers;
          CHECK_EQ(writers.load(), 0);
          std::this_thread::yield();
          --readers;
        } else {
          std::unique_lock<Mutex> hold(mutex);
          CHECK_EQ(writers++, 0);
          CHECK_EQ(readers.load(), 0);
          ++value;
          std::this_thread::yield();
          --writers;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_EQ(value, 4);

  mutex.lock_shared();
  std::thread([&] {
    CHECK(!mutex.try_lock());
    CHECK(mutex.try_lock_shared());
    mutex.unlock_shared();
  }).join();
  mutex.unlock_shared();
  mutex.lock();
  std::thread([&] {
    CHECK(!mutex.try_lock());
    CHECK(!mutex.try_lock_shared());
  }).join();
  mutex.unlock();
}

}  // namespace

int main() {
  std::shared_mutex plain;
  exercise(plain);
  std::shared_timed_mutex timed;
  exercise(timed);

  timed.lock();
  std::thread([&] {
    CHECK(!timed.try_lock_for(20ms));
    CHECK(!timed.try_lock_shared_for(20ms));
    CHECK(!timed.try_lock_shared_until(std::chrono::steady_clock::now() + 20ms));
    CHECK(!timed.try_lock_until(std::chrono::system_clock::now() + 20ms));
  }).join();
  std::thread reader([&] {
    CHECK(timed.try_lock_shared_for(60s));
    timed.unlock_shared();
  });
  std::thread writer([&] {
    CHECK(timed.try_lock_for(60s));
    timed.unlock();
  });
  timed.unlock();
  reader.join();
  writer.join();
}
