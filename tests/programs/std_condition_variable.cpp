// expect: passed
// std::condition_variable: wait, wait_for and wait_until on both clocks, notify_one, notify_all,
// notify_all_at_thread_exit.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "check.h"

using namespace std::chrono_literals;

namespace {

std::mutex lock;
std::condition_variable cond;

void queue_of_work() {
  std::deque<int> queue;
  bool closed = false;
  int sum = 0;
  std::vector<std::thread> consumers;
  for (int i = 0; i < 2; ++i) {
    consumers.emplace_back([&] {
      for (;;) {
        std::unique_lock<std::mutex> hold(lock);
        cond.wait(hold, [&] { return closed || !queue.empty(); });
        if (queue.empty()) return;
        sum += queue.front();
        queue.pop_front();
      }
    });
  }
  for (int i = 1; i <= 6; ++i) {
    {
      std::lock_guard<std::mutex> hold(lock);
      queue.push_back(i);
    }
    cond.notify_one();
  }
  {
    std::lock_guard<std::mutex> hold(lock);
    closed = true;
  }
  cond.notify_all();
  for (auto& consumer : consumers) consumer.join();
  CHECK_EQ(sum, 21);
}

void deadlines() {
  std::unique_lock<std::mutex> hold(lock);
  auto before = std::chrono::steady_clock::now();
  CHECK(!cond.wait_for(hold, 20ms, [] { return false; }));
  CHECK(std::chrono::steady_clock::now() - before >= 20ms);
  CHECK(!cond.wait_until(hold, std::chrono::system_clock::now() + 20ms, [] { return false; }));
  CHECK(!cond.wait_until(hold, std::chrono::steady_clock::now() + 20ms, [] { return false; }));
  CHECK(cond.wait_until(hold, before - 1h) == std::cv_status::timeout);
  CHECK(hold.owns_lock());
  CHECK(cond.wait_for(hold, 1ms, [] { return true; }));
}

void at_thread_exit() {
  bool done = false;
  std::thread thread([&] {
    std::unique_lock<std::mutex> hold(lock);
    done = true;
    std::notify_all_at_thread_exit(cond, std::move(hold));
  });
  {
    std::unique_lock<std::mutex> hold(lock);
    cond.wait(hold, [&] { return done; });
  }
  thread.join();
}

}  // namespace

int main() {
  queue_of_work();
  deadlines();
  at_thread_exit();
}
