// expect: passed
// std::condition_variable_any with locks that are not std::mutex.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "check.h"

using namespace std::chrono_literals;

int main() {
  std::condition_variable_any cond;
  std::shared_mutex shared;
  std::recursive_mutex recursive;
  bool ready = false;
  int woken = 0;

  std::thread readers[2];
  for (auto& reader : readers) {
    reader = std::thread([&] {
      std::shared_lock<std::shared_mutex> hold(shared);
      cond.wait(hold, [&] { return ready; });
      hold.unlock();
      std::lock_guard<std::shared_mutex> exclusive(shared);
      ++woken;
    });
  }
  {
    std::lock_guard<std::shared_mutex> hold(shared);
    ready = true;
  }
  cond.notify_all();
  for (auto& reader : readers) reader.join();
  CHECK_EQ(woken, 2);

  int turn = 0;
  std::thread other([&] {
    std::unique_lock<std::recursive_mutex> hold(recursive);
    cond.wait(hold, [&] { return turn == 1; });
    turn = 2;
    cond.notify_one();
  });
  std::unique_lock<std::recursive_mutex> hold(recursive);
  turn = 1;
  cond.notify_one();
  CHECK(cond.wait_for(hold, 60s, [&] { return turn == 2; }));
  hold.unlock();
  other.join();
  hold.lock();
  CHECK(!cond.wait_for(hold, 20ms, [] { return false; }));
}
